package process

import (
	"math"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSharedFile holds that all of a shared file's memory is there, and that its size stays.
func TestSharedFile(t *testing.T) {
	t.Parallel()
	const size = 3 << 16
	file, err := SharedFile("hone-test", size)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var s unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &s); err != nil || s.Size != size || s.Blocks*512 < size {
		t.Errorf("%d bytes, of which %d are there: %v", s.Size, s.Blocks*512, err)
	}
	for _, other := range []int64{size / 2, 2 * size} {
		if err := file.Truncate(other); err == nil {
			t.Errorf("it was made %d bytes long", other)
		}
	}
}

func TestSharedFileThatCannotBe(t *testing.T) {
	t.Parallel()
	// Never a size that could be had in part: it would take all memory from everybody.
	for name, size := range map[string]int64{"none": 0, "negative": -1, "beyond any memory": 1 << 60} {
		if file, err := SharedFile("hone-test", size); err == nil {
			_ = file.Close()
			t.Errorf("%s: it was made", name)
		}
	}
}

func TestAvailable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want int64
	}{
		"as Linux says": {"MemTotal: 24684108 kB\nMemFree:   1000 kB\nMemAvailable:   23469 kB\nBuffers: 1 kB\n", 23469 << 10},
		"none left":     {"MemAvailable: 0 kB\n", 0},
		"not said":      {"MemTotal: 24684108 kB\n", math.MaxInt64},
		"no number":     {"MemAvailable: much kB\n", math.MaxInt64},
		"beyond all":    {"MemAvailable: 9223372036854775807 kB\n", math.MaxInt64},
		"nothing":       {"", math.MaxInt64},
	} {
		if got := available(c.text); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
