package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"example.com/hone/gpu/judge"
	"example.com/hone/gpu/judge/platform"
)

// judgeCommand is the trusted process that hone starts for itself. It is told all
// it needs: a configuration is none of its business.
func (a *app) judgeCommand() *cobra.Command {
	return hidden("judge", "Judge kernels for the hone that started this process", func(ctx context.Context) error {
		return judge.Serve(ctx, os.Stdin, os.Stdout, judge.Options{
			Cache: a.flags.cache, Device: a.flags.device, Libraries: a.libraries(),
			Visible: platform.Visible{Devices: a.environment("CUDA_VISIBLE_DEVICES"), Order: a.environment("CUDA_DEVICE_ORDER")},
			Python:  (&config{Python: a.flags.python}).pythons(),
		})
	})
}

// hidden is a command of a process that hone starts for itself, which reads no
// configuration.
func hidden(use, short string, run func(context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Hidden:            true,
		Args:              cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) },
	}
}
