package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/hone/agent"
)

// liveServer starts llama.cpp's server with a model of the machine, and returns
// its base URL once the model is loaded.
func liveServer(t *testing.T, server, model string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	listener.Close()
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	// Threads that wait for each other by spinning crawl on cores that others use too.
	threads := fmt.Sprint(max(1, runtime.NumCPU()/2))
	cmd := exec.Command(server, "-m", model, "--host", "127.0.0.1", "--port", fmt.Sprint(address.Port), "--alias", "small",
		"--ctx-size", "8192", "--parallel", "1", "--threads", threads, "--no-warmup")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		cmd.Wait()
		close(gone)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-gone
		log.Close()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		resp, err := http.Get("http://" + address.String() + "/health")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return "http://" + address.String() + "/v1"
			}
		}
		select {
		case <-gone:
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("the server ended (%v):\n%s", cmd.ProcessState, text)
		case <-ctx.Done():
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("the server never got ready:\n%s", text)
		case <-poll.C:
		}
	}
}

// TestLiveSession refines a task in three turns with a real server and a model
// that is far too small to write kernels: what counts is that every reply comes
// through, whole or cut at its limit, with the server's own counts. It runs as
// part of make test-live alone.
func TestLiveSession(t *testing.T) {
	server, model := os.Getenv("HONE_LIVE_SERVER"), os.Getenv("HONE_LIVE_MODEL")
	if server == "" || model == "" {
		t.Skip("make test-live runs this with a real model")
	}
	h := newHome(t)
	h.configure(fmt.Sprintf("profile = \"live\"\n[models.live]\nbase_url = %q\nmodel = \"small\"\ncontext = 8192\nmax_tokens = 256\n"+
		"[models.live.extra]\nseed = 7\ntop_k = 40\n", liveServer(t, server, model)))
	out, err := h.command("models").CombinedOutput()
	t.Logf("hone models:\n%s", out)
	if err != nil || !strings.Contains(string(out), "small") {
		t.Fatalf("the server's models were not listed: %v", err)
	}
	cmd := h.command("refine", "vector_add", "--plain", "--turns", "3")
	out, _ = cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitOK && code != exitNoCorrect {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	var s agent.State
	events := h.onlyEvents()
	for _, e := range events {
		s.Apply(e)
	}
	if len(s.Turns) != 3 || s.Ended == nil || s.Ended.Reason != "max_turns" {
		t.Fatalf("%d turns, ended as %+v:\n%s", len(s.Turns), s.Ended, out)
	}
	for _, e := range events {
		if d, ok := e.Data.(*agent.ModelResponded); ok {
			checkLive(t, e.Turn, d, s.Turn(e.Turn).End.Outcome)
		}
	}
}

func checkLive(t *testing.T, turn int, d *agent.ModelResponded, outcome string) {
	t.Helper()
	first, rate := "no text", "unknown"
	if d.FirstToken != nil {
		first = "the first after " + d.FirstToken.Round(time.Millisecond).String()
	}
	if r, known := d.Rate(); known {
		rate = fmt.Sprintf("%.1f", r)
	}
	t.Logf("turn %d: %d prompt tokens, %d written, %s, tokens/s %s, finish %q, %d raw bytes: %s",
		turn, d.Usage.Prompt, d.Usage.Completion, first, rate, d.FinishReason, len(d.Raw), outcome)
	if timings := strings.LastIndex(d.Raw, `"timings":`); timings >= 0 {
		line, _, _ := strings.Cut(d.Raw[timings:], "\n")
		t.Logf("turn %d: the server says %.400s", turn, line)
	}
	if !d.Complete || d.Error != "" || d.Usage.Estimated || d.Usage.Prompt == 0 || !strings.HasSuffix(strings.TrimSpace(d.Raw), "data: [DONE]") {
		t.Errorf("turn %d: the reply is not whole: %+v", turn, d.Usage)
	}
	if truncated := outcome == agent.OutcomeTruncated; truncated != (d.FinishReason == "length") {
		t.Errorf("turn %d: finish %q became %s", turn, d.FinishReason, outcome)
	}
}
