package llm

import (
	"context"
	"testing"

	"example.com/hone/agent"
	"example.com/hone/agent/demo"
	"example.com/hone/agent/extract"
	"example.com/hone/agent/prompt"
	"example.com/hone/tasks"
)

// The demo model, asked through the real client, answers a built-in task with a
// kernel.
func TestDemoModelThroughClient(t *testing.T) {
	t.Parallel()
	server, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	client, err := New(Profile{BaseURL: server.URL(), Model: demo.Model})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := tasks.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range catalog.All() {
		p, err := prompt.Build(prompt.Input{Task: prompt.Task{
			Reference: task.Reference, Declaration: task.Signature.Declare("solve"), Dialect: "cuda",
		}})
		if err != nil {
			t.Fatal(err)
		}
		var streamed string
		reply, err := client.Stream(context.Background(), p.Messages, func(e agent.ModelEvent) { streamed += e.Delta.Text })
		if err != nil {
			t.Fatal(err)
		}
		got := extract.Reply(extract.Input{Reasoning: reply.Reasoning, Content: reply.Content, FinishReason: reply.FinishReason})
		if !got.Usable || got.Thought == "" || got.Summary == "" || len(got.Problems) > 0 {
			t.Errorf("%s: reply extracts to %+v", task.Name, got)
		}
		if streamed != reply.Reasoning+reply.Content || !reply.Complete || reply.Usage.Estimated || reply.FirstToken <= 0 {
			t.Errorf("%s: reply is %+v", task.Name, reply)
		}
	}
}
