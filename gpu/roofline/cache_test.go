package roofline

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"example.com/hone/gpu/cuda"
)

// madePeaks are about those of a large device.
func madePeaks() Peaks {
	return Peaks{
		Schema: Schema, DeviceID: "0123456789abcdef", Device: "Made Up 9000", Driver: "580.1",
		NVRTC: cuda.Version{Major: 13}, Measured: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), TookMS: 2100,
		Memory: made(), Spread: 0.001, AddedUS: 1.5,
		Compute: map[string]float64{FP32: 60e12, FP64: 30e12, FP64Matrix: 60e12,
			TF32Matrix: 400e12, FP16Matrix: 800e12, BF16Matrix: 810e12},
	}
}

func TestCacheRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "peaks.json")
	for _, driver := range []string{"580.1", "590.2"} { // the second time over the first
		p := madePeaks()
		p.Driver = driver
		if err := write(path, p); err != nil {
			t.Fatal(err)
		}
		got, ok := read(path, p)
		if !ok || !reflect.DeepEqual(got, p) {
			t.Errorf("read %t, %+v", ok, got)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left in the folder, error %v", len(entries), err)
	}
}

func TestCacheRefuses(t *testing.T) {
	t.Parallel()
	want := madePeaks()
	change := func(f func(*Peaks)) func(string) error {
		return func(path string) error {
			p := madePeaks()
			f(&p)
			return write(path, p)
		}
	}
	text := func(s string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(s), 0o600) }
	}
	for name, prepare := range map[string]func(string) error{
		"no file":         func(string) error { return nil },
		"folder":          func(path string) error { return os.Mkdir(path, 0o700) },
		"empty":           text(""),
		"no JSON":         text("peaks"),
		"other JSON":      text(`{"memory": 3}`),
		"half":            text(`{"schema": "hone.roofline/2", "device_id": "01`),
		"other schema":    change(func(p *Peaks) { p.Schema = "hone.roofline/0" }),
		"other device":    change(func(p *Peaks) { p.DeviceID = "fedcba" }),
		"renamed device":  change(func(p *Peaks) { p.Device = "Made Up 9000 MIG 1g" }),
		"other driver":    change(func(p *Peaks) { p.Driver = "590.2" }),
		"other compiler":  change(func(p *Peaks) { p.NVRTC.Minor = 1 }),
		"no memory":       change(func(p *Peaks) { p.Memory = nil }),
		"no points":       change(func(p *Peaks) { p.Memory[1].Points = nil }),
		"mixes disorderd": change(func(p *Peaks) { p.Memory[0], p.Memory[1] = p.Memory[1], p.Memory[0] }),
		"no rate":         change(func(p *Peaks) { p.Compute[FP32] = 0 }),
		"negative rate":   change(func(p *Peaks) { p.Compute[FP32] = -1 }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "peaks.json")
			if err := prepare(path); err != nil {
				t.Fatal(err)
			}
			if p, ok := read(path, want); ok {
				t.Errorf("read %+v", p)
			}
		})
	}
}

func TestCacheCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := write(filepath.Join(file, "peaks.json"), madePeaks())
	var keep *KeepError
	var path *fs.PathError
	if !errors.As(err, &keep) || !errors.As(err, &path) {
		t.Errorf("error %v", err)
	}
}
