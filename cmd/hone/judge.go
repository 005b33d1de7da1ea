package main

import (
	"os"

	"github.com/spf13/cobra"

	"example.com/hone/gpu/judge"
)

// judgeCommand is the trusted process that hone starts for itself.
func (a *app) judgeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "judge",
		Short:  "Judge kernels for the hone that started this process",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return judge.Serve(cmd.Context(), os.Stdin, os.Stdout, judge.Options{Cache: a.config.Cache})
		},
	}
}
