package demo

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/hone/agent/prompt"
	"example.com/hone/tasks"
)

// maxRemembered bounds the prompts that are told apart from their retries.
const maxRemembered = 10_000

// model chooses answers. It is safe for concurrent use.
type model struct {
	tasks   []tasks.Task
	scripts map[string]script

	mu    sync.Mutex
	asked map[[sha256.Size]byte]int // how often each prompt came
}

// answer replies to a prompt in a lane. Lane 0 follows the script. The n-th other
// lane takes the same turns from the n-th on, round about, so that several
// samples of one prompt differ and yet are the same in every run.
func (m *model) answer(lane int, messages []prompt.Message) (answer, error) {
	task, ok := m.find(messages)
	if !ok {
		return m.unknown(), nil
	}
	s, ok := m.scripts[task.Name]
	if !ok {
		return plain(task), nil
	}
	turn := prompt.Attempts(messages)
	if turn >= len(s.turns) {
		return ended(s), nil
	}
	again, err := m.again(lane, messages)
	if err != nil {
		return answer{}, err
	}
	variations := s.turns[(turn+lane)%len(s.turns)]
	return variations[again%len(variations)], nil
}

// find returns the task whose reference stands in the prompt; of several, the
// one with the longest, since one file may contain another.
func (m *model) find(messages []prompt.Message) (found tasks.Task, ok bool) {
	for _, message := range messages {
		for _, task := range m.tasks {
			reference := strings.TrimSpace(task.Reference)
			if len(reference) > len(found.Reference) && strings.Contains(message.Content, reference) {
				found, ok = task, true
			}
		}
	}
	return found, ok
}

// again counts how often the same prompt came before in a lane.
func (m *model) again(lane int, messages []prompt.Message) (int, error) {
	text, err := json.Marshal(struct {
		Lane     int
		Messages []prompt.Message
	}{lane, messages})
	if err != nil {
		return 0, fmt.Errorf("tell prompts apart: %w", err)
	}
	key := sha256.Sum256(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.asked) >= maxRemembered {
		clear(m.asked)
	}
	m.asked[key]++
	return m.asked[key] - 1, nil
}

// ended repeats the last kernel, which is the script's best.
func ended(s script) answer {
	last := s.turns[len(s.turns)-1][0]
	return answer{
		thought: "This is a scripted model, and its script for this task has come to its end. I have nothing new to try, so I give the last kernel again.",
		reply:   "My script ends here, so this is the last kernel again, unchanged. A real model would go on; set one up to continue from this turn.\n\n" + last.reply,
	}
}

// plain answers a task that has no script with the task's own reference.
func plain(task tasks.Task) answer {
	return answer{
		thought: fmt.Sprintf("This is a scripted model, and it has no script for %s. The task comes with a native reference, which is right by definition and not tuned at all. I wrap it in solve.", task.Name),
		reply: fmt.Sprintf("I am a scripted model without a script for %s, so I did not write this kernel: it is the task's own reference.\n\n```cuda\n%s\n\n%s {\n    reference<%s>(%s);\n}\n```\n\n"+
			"It is correct and untuned, so expect a speedup of about 1 over the reference. Set up a real model to improve on it.",
			task.Name, strings.TrimSpace(task.Native), task.Signature.Declare("solve"), real(task.Signature), arguments(task.Signature)),
	}
}

// unknown answers a prompt about a task that is not built in.
func (m *model) unknown() answer {
	names := strings.Join(slices.Sorted(maps.Keys(m.scripts)), ", ")
	return answer{
		thought: "This is a scripted model, and I do not know the program in this prompt.",
		reply:   "I am a scripted model and do not know this task, so I give no code. I have scripts for: " + names + ". Set up a real model for any other task.",
	}
}

// real is the floating type of a task.
func real(s tasks.Signature) string {
	for _, t := range s.Tensors() {
		if t.DType.Floating() {
			return t.DType.CType()
		}
	}
	return tasks.Float32.CType()
}

// arguments are solve's parameters as they are passed on.
func arguments(s tasks.Signature) string {
	var names []string
	for _, t := range s.Tensors() {
		names = append(names, t.Name)
	}
	names = append(names, s.Dims...)
	return strings.Join(append(names, "stream"), ", ")
}
