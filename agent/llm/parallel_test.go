package llm

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/hone/agent"
	"example.com/hone/agent/agenttest"
	"example.com/hone/agent/record"
)

// streamRate is how fast the server of TestParallelStreams writes, in tokens a
// second.
const streamRate = 200

// raced says that the race detector is in, which costs many times what is measured.
var raced bool

// volume is how many sessions run at once, and the tokens of each one's reply.
func volume() (streams, tokens int) {
	if raced {
		return 8, 2 * streamRate
	}
	return 64, 12 * streamRate
}

// thought says that piece k of a reply of so many tokens is sent as reasoning.
func thought(k, tokens int) bool { return k < tokens/4 }

// serving names the variable that makes the test binary the server of streams, so
// that what the client costs can be told from what the server does.
const serving = "HONE_TEST_SERVES_STREAMS"

func TestMain(m *testing.M) {
	if os.Getenv(serving) != "" {
		serveStreams()
		return
	}
	os.Exit(m.Run())
}

// token is piece k of the reply to stream n: no two are equal, and some are hard.
func token(stream string, k int) string {
	text := fmt.Sprintf("%s.%d ", stream, k)
	switch k % 50 {
	case 7:
		return text + "\"é\\行\t<>&\n"
	case 21:
		return text + "🙂 </thin" // the beginning of a tag
	}
	return text
}

// serveStreams writes its address, then serves until its input ends.
func serveStreams() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	go http.Serve(listener, http.HandlerFunc(streamTo))
	io.Copy(io.Discard, os.Stdin)
}

// streamTo writes the reply of the stream that the request's model names, each
// token when it is due.
func streamTo(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model string `json:"model"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	begun := time.Now()
	_, tokens := volume()
	for k := range tokens {
		if early := time.Until(begun.Add(time.Duration(k) * time.Second / streamRate)); early > 0 {
			control.Flush()
			time.Sleep(early)
		}
		field := "content"
		if thought(k, tokens) {
			field = "reasoning_content"
		}
		text, _ := json.Marshal(token(request.Model, k))
		fmt.Fprintf(w, `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1764547200,"model":"%s","choices":[{"index":0,"delta":{"%s":%s},"logprobs":null,"finish_reason":null}]}`+"\n\n", request.Model, field, text)
	}
	fmt.Fprintf(w, "%s\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":%d,\"total_tokens\":%d}}\n\n%s\n\n", stop, tokens, tokens+1, done)
}

// otherProcess starts the server and returns its base URL.
func otherProcess(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), serving+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address) + "/v1"
}

// listener is one session and what its observer heard of the reply.
type listener struct {
	name      string
	path      string // of the record
	content   strings.Builder
	reasoning strings.Builder
	deltas    int
	answering chan struct{} // closed once the thought is over: a quarter of the reply
	over      chan struct{} // closed at the end
}

func newListener(n int) *listener {
	return &listener{name: fmt.Sprintf("s%d", n), answering: make(chan struct{}), over: make(chan struct{})}
}

func (l *listener) observe(e agent.Event) {
	d, ok := e.Data.(*agent.TextDelta)
	if !ok {
		return
	}
	l.deltas++
	if d.Reasoning {
		l.reasoning.WriteString(d.Text)
		return
	}
	if l.content.Len() == 0 {
		close(l.answering)
	}
	l.content.WriteString(d.Text)
}

func (l *listener) run(ctx context.Context, t *testing.T, dir, url string, n int) {
	client, err := New(Profile{BaseURL: url, Model: l.name})
	if err != nil {
		t.Error(err)
		return
	}
	id := agenttest.IDs()
	for range n {
		id()
	}
	log, err := record.Create(dir, id())
	if err != nil {
		t.Error(err)
		return
	}
	defer log.Close()
	l.path = log.Path()
	session := agent.NewSession(agent.Options{
		ID: filepath.Base(l.path), Task: agenttest.Task(), Model: client, Evaluator: &agenttest.Evaluator{}, Recorder: log,
		Observe: l.observe, Plan: agent.Plan{Turns: 1}, Unattended: true,
	})
	if err := session.Run(ctx); err != nil {
		t.Errorf("stream %s: %v", l.name, err)
	}
}

// check compares what was shown, recorded and kept raw with what was sent.
func (l *listener) check(t *testing.T) {
	events, problems, err := record.Read(l.path)
	if err != nil || len(problems) > 0 {
		t.Fatalf("stream %s: read the record: %v, %v", l.name, err, problems)
	}
	var content, reasoning strings.Builder
	_, tokens := volume()
	for k := range tokens {
		if thought(k, tokens) {
			reasoning.WriteString(token(l.name, k))
		} else {
			content.WriteString(token(l.name, k))
		}
	}
	for _, e := range events {
		d, ok := e.Data.(*agent.ModelResponded)
		if !ok {
			continue
		}
		rawContent, rawReasoning := spokenIn(t, d.Raw)
		for what, same := range map[string]bool{
			"shown":    l.content.String() == content.String() && l.reasoning.String() == reasoning.String(),
			"recorded": d.Content == content.String() && d.Reasoning == reasoning.String(),
			"raw":      rawContent == content.String() && rawReasoning == reasoning.String(),
			"counted":  d.Complete && d.Usage.Completion == tokens && !d.Usage.Estimated,
		} {
			if !same {
				t.Errorf("stream %s: what was %s is not what was sent", l.name, what)
			}
		}
		return
	}
	t.Errorf("stream %s: the record has no reply", l.name)
}

// spokenIn reads the raw bytes of a stream with a parser of its own.
func spokenIn(t *testing.T, raw string) (content, reasoning string) {
	t.Helper()
	var said, thought strings.Builder
	for line := range strings.Lines(raw) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: {")
		if !ok {
			continue
		}
		var c struct {
			Choices []struct {
				Delta struct {
					Content   string `json:"content"`
					Reasoning string `json:"reasoning_content"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte("{"+data), &c); err != nil {
			t.Fatalf("raw line %q: %v", line, err)
		}
		for _, choice := range c.Choices {
			said.WriteString(choice.Delta.Content)
			thought.WriteString(choice.Delta.Reasoning)
		}
	}
	return said.String(), thought.String()
}

// cost is what this process has used.
type cost struct {
	at   time.Time
	cpu  time.Duration
	heap uint64 // bytes that are in use, garbage collected
}

func costNow(t *testing.T) cost {
	t.Helper()
	runtime.GC()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return cost{time.Now(), time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), memory.HeapAlloc}
}

// TestParallelStreams runs whole sessions, each with a record on disk, against a
// server in a process of its own. Not one token may be lost, doubled or out of
// order on the way to the screen, the record and the raw bytes; all of it may cost
// less than one core; and memory may grow by no more than the text. It is not
// parallel, so that nothing else runs in this process meanwhile.
func TestParallelStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 15 s")
	}
	url, dir := otherProcess(t), t.TempDir()
	streams, tokens := volume()
	listeners := make([]*listener, streams)
	var all sync.WaitGroup
	begun := time.Now()
	for n := range listeners {
		l := newListener(n)
		listeners[n] = l
		all.Go(func() {
			defer close(l.over)
			l.run(t.Context(), t, dir, url, n)
		})
	}
	var used usage
	if !raced {
		used = costOf(t, listeners)
	}
	all.Wait()
	took := time.Since(begun)
	deltas := 0
	for _, l := range listeners {
		deltas += l.deltas
		l.check(t)
	}
	t.Logf("%d streams of %d tokens/s: %d tokens in %.1f s, shown in %d pieces", streams, streamRate, streams*tokens, took.Seconds(), deltas)
	if !raced {
		used.judge(t, took, time.Duration(tokens)*time.Second/streamRate)
	}
}

// usage is what the streams cost between two looks at them.
type usage struct {
	cores float64
	heap  uint64 // bytes, at the end
	grown int64  // bytes
}

// costOf looks at this process once every stream is well under way, and again
// 5 s later. It is zero where a stream had ended by then.
func costOf(t *testing.T, listeners []*listener) usage {
	t.Helper()
	for _, l := range listeners {
		select {
		case <-l.answering:
		case <-l.over:
			return usage{}
		}
	}
	first := costNow(t)
	time.Sleep(5 * time.Second)
	second := costNow(t)
	for _, l := range listeners {
		select {
		case <-l.over:
			return usage{}
		default:
		}
	}
	return usage{
		cores: (second.cpu - first.cpu).Seconds() / second.at.Sub(first.at).Seconds(),
		heap:  second.heap, grown: int64(second.heap) - int64(first.heap),
	}
}

// judge holds a run to what it may cost. On a machine that is too busy to keep up
// with the server a garbage collection takes seconds, and counts what came in them.
func (u usage) judge(t *testing.T, took, due time.Duration) {
	t.Helper()
	if u == (usage{}) || took > due*5/4 {
		t.Logf("too busy a machine to judge the cost: %v for streams of %v, %+v", took, due, u)
		return
	}
	t.Logf("%.2f cores; heap %.1f MiB, %+.1f MiB in 5 s", u.cores, float64(u.heap)/(1<<20), float64(u.grown)/(1<<20))
	const most = 16 << 20
	if u.cores >= 1 || u.grown > most {
		t.Errorf("the client used %.2f cores and grew by %d bytes; want less than one, and at most %d", u.cores, u.grown, most)
	}
}
