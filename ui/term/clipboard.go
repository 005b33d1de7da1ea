package term

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	// maxOSC52 is the longest sequence that common terminals take.
	maxOSC52 = 74994
	// toolTime bounds a clipboard tool that waits for a display that is gone.
	toolTime = 2 * time.Second
)

// Clipboard copies text by every route that may reach the person. No terminal
// confirms a copy, so it says which routes were used and claims no more.
type Clipboard struct {
	Terminal io.StringWriter // takes the OSC 52 sequence; nil where there is none
	Dir      string          // where a file with the text is always left
	Tmux     bool            // inside tmux, which swallows a program's OSC 52
	Tools    []string        // command lines that take the text on their input, best first

	run func(ctx context.Context, words []string, input string) error
}

// NewClipboard finds the routes out of this environment. Over SSH no local tool
// is used: it would fill the clipboard of the wrong machine.
func NewClipboard(terminal io.StringWriter, dir string, getenv func(string) string) Clipboard {
	c := Clipboard{Terminal: terminal, Dir: dir, Tmux: getenv("TMUX") != ""}
	if getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != "" {
		return c
	}
	if getenv("WAYLAND_DISPLAY") != "" {
		c.Tools = append(c.Tools, "wl-copy")
	}
	if getenv("DISPLAY") != "" {
		c.Tools = append(c.Tools, "xclip -selection clipboard", "xsel --clipboard --input")
	}
	if runtime.GOOS == "darwin" {
		c.Tools = append(c.Tools, "pbcopy")
	}
	return c
}

// Copy copies text and saves it under name in Dir. The words it returns say
// where the text went, such as "sent to terminal, saved to /tmp/kernel.cu".
// It is an error only when the text went nowhere.
func (c Clipboard) Copy(ctx context.Context, name, text string) (string, error) {
	var routes []string
	if route := c.toTool(ctx, text); route != "" {
		routes = append(routes, route)
	}
	if route := c.toTerminal(ctx, text); route != "" {
		routes = append(routes, route)
	}
	path, err := c.save(name, text)
	if err == nil {
		routes = append(routes, "saved to "+path)
	}
	if len(routes) == 0 {
		return "", fmt.Errorf("copy %s: no clipboard was found and %w", name, err)
	}
	return strings.Join(routes, ", "), nil
}

// toTool gives the text to the first clipboard tool that takes it.
func (c Clipboard) toTool(ctx context.Context, text string) string {
	for _, tool := range c.Tools {
		words := strings.Fields(tool)
		if c.start(ctx, words, text) == nil {
			return "given to " + words[0]
		}
	}
	return ""
}

func (c Clipboard) toTerminal(ctx context.Context, text string) string {
	if c.Tmux {
		if c.start(ctx, []string{"tmux", "load-buffer", "-w", "-"}, text) == nil {
			return "in tmux buffer"
		}
		return ""
	}
	if c.Terminal == nil {
		return ""
	}
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if len(sequence) > maxOSC52 {
		return ""
	}
	if _, err := c.Terminal.WriteString(sequence); err != nil {
		return ""
	}
	return "sent to terminal"
}

func (c Clipboard) save(name, text string) (string, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(c.Dir, filepath.Base(name))
	return path, os.WriteFile(path, []byte(text), 0o600)
}

func (c Clipboard) start(ctx context.Context, words []string, input string) error {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	if c.run != nil {
		return c.run(ctx, words, input)
	}
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Stdin = strings.NewReader(input)
	command.WaitDelay = toolTime
	return command.Run()
}
