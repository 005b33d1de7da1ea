package process

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestGroupMemory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		membership string
		files      map[string]string
		want       int64
	}{
		"version 2": {"0::/docker/a\n", map[string]string{
			"docker/a/memory.max": "8000\n", "docker/a/memory.current": "3000\n", "docker/a/memory.stat": "anon 1\ninactive_file 500\n",
		}, 5500},
		"its parent leaves less": {"0::/pod/a\n", map[string]string{
			"pod/a/memory.max": "8000", "pod/a/memory.current": "3000", "pod/memory.max": "9000", "pod/memory.current": "8900",
		}, 100},
		"no limit":             {"0::/a\n", map[string]string{"a/memory.max": "max\n", "a/memory.current": "3000\n"}, math.MaxInt64},
		"a container's own":    {"0::/host/path\n", map[string]string{"memory.max": "700", "memory.current": "100"}, 600},
		"used up":              {"0::/a\n", map[string]string{"a/memory.max": "700", "a/memory.current": "900"}, 0},
		"version 1":            {"5:cpu,memory:/x\n0::/\n", map[string]string{"memory/x/memory.limit_in_bytes": "700", "memory/x/memory.usage_in_bytes": "300", "memory/x/memory.stat": "total_inactive_file 100\n"}, 500},
		"nothing that helps":   {"1:cpu:/\nnonsense\n", nil, math.MaxInt64},
		"a way out of the top": {"0::/../../etc\n", map[string]string{"memory.max": "700", "memory.current": "100"}, 600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for file, text := range c.files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := groupMemory(root, c.membership); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
}
