//go:build race

package llm

func init() { raced = true }
