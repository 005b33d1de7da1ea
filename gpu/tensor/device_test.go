package tensor

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/judge/check"
	"example.com/hone/tasks"
)

// bench is a lab on the first device.
type bench struct {
	*Lab
	shared bool // what its runner makes: the other kind each time
}

// newBench opens the first device, or ends the test where there is none.
func newBench(t testing.TB) *bench {
	t.Helper()
	driver, err := cuda.Open(cuda.Options{})
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no device: %v", u)
	}
	must(t, err)
	dev, err := driver.Device(0)
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no device: %v", u)
	}
	must(t, err)
	t.Cleanup(func() { must(t, dev.Close()) })
	l, err := Open(t.Context(), dev, nvrtc(t, dev.Facts().CUDA.Major), t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	return &bench{Lab: l}
}

// make is a tensor of n elements.
func (b *bench) make(t testing.TB, dtype tasks.DType, n int, shared bool) *Tensor {
	t.Helper()
	made, err := b.New(t.Context(), tasks.Tensor{Name: "x", Shape: []string{"N"}}, dtype,
		tasks.SizeSet{Name: "test", Values: map[string]int64{"N": int64(n)}}, shared)
	must(t, err)
	return made
}

// put is a tensor that holds values, shared every other time.
func (b *bench) put(t testing.TB, v check.Values) *Tensor {
	t.Helper()
	b.shared = !b.shared
	made := b.make(t, v.DType, v.Len(), b.shared)
	must(t, b.Upload(t.Context(), made, v))
	return made
}

// take is what a tensor holds, and the end of some.
func (b *bench) take(t testing.TB, from *Tensor, freed ...*Tensor) check.Values {
	t.Helper()
	v, err := b.Download(t.Context(), from)
	must(t, err)
	must(t, b.Free(t.Context(), freed...))
	return v
}

func (b *bench) draw(t *testing.T, like check.Values, fill tasks.Fill, seed, stream uint64, factor float64) check.Values {
	t.Helper()
	x := b.put(t, like)
	must(t, b.Draw(t.Context(), x, fill, seed, stream, factor))
	return b.take(t, x, x)
}

func (b *bench) convert(t *testing.T, v check.Values, to tasks.DType) check.Values {
	t.Helper()
	from, result := b.put(t, v), b.put(t, zeros(to, v.Len()))
	must(t, b.Convert(t.Context(), result, from))
	return b.take(t, result, result, from)
}

func (b *bench) compare(t *testing.T, o check.Output, tol tasks.Tolerance) Comparison {
	t.Helper()
	got, truth, base := b.put(t, o.Got), b.put(t, o.Truth), b.put(t, o.Baseline)
	c, err := b.Compare(t.Context(), got, truth, base, tol)
	must(t, err)
	must(t, b.Free(t.Context(), got, truth, base))
	return c
}

func (b *bench) differing(t *testing.T, x, y check.Values) int64 {
	t.Helper()
	one, other := b.put(t, x), b.put(t, y)
	n, err := b.Differing(t.Context(), one, other)
	must(t, err)
	must(t, b.Free(t.Context(), one, other))
	return n
}

func TestDevice(t *testing.T) {
	b := newBench(t)
	testKernels(t, b)
	t.Run("grid", func(t *testing.T) { testGrid(t, b) })
	t.Run("content", func(t *testing.T) { testContent(t, b) })
	t.Run("perturb", func(t *testing.T) { testPerturb(t, b) })
	t.Run("fresh", func(t *testing.T) { testFresh(t, b) })
	t.Run("share", func(t *testing.T) { testShare(t, b) })
	t.Run("memory", func(t *testing.T) { testMemory(t, b) })
	for name, mapping := range map[string]bool{"mapped": b.mapping, "mirrored": false} {
		b.mapping = mapping
		t.Run("guards "+name, func(t *testing.T) { testGuards(t, b) })
	}
	t.Run("mirror", func(t *testing.T) { testMirror(t, b) })
}

// testGrid draws the same with one block as with many.
func testGrid(t *testing.T, b *bench) {
	fill := tasks.Fill{Kind: "normal", High: 1}
	many := b.draw(t, zeros(tasks.Float32, 100_001), fill, 1, 2, 1)
	blocks := b.blocks
	b.blocks = 1
	one := b.draw(t, zeros(tasks.Float32, 100_001), fill, 1, 2, 1)
	b.blocks = blocks
	other := b.draw(t, zeros(tasks.Float32, 100_001), fill, 1, 3, 1)
	if !bytes.Equal(one.Bytes, many.Bytes) || bytes.Equal(one.Bytes, other.Bytes) {
		t.Error("the values depend on the grid, or not on the stream")
	}
}

// testContent moves values about, without a moment to wait.
func testContent(t *testing.T, b *bench) {
	v := raw(rand.New(rand.NewPCG(5, 5)), tasks.Int64, 3_000_001)
	pristine, scratch, shared := b.put(t, v), b.make(t, v.DType, v.Len(), false), b.make(t, v.DType, v.Len(), true)
	must(t, b.Fill(t.Context(), scratch, 0x11))
	must(t, b.Copy(t.Context(), scratch, pristine))
	must(t, b.Convert(t.Context(), shared, scratch))
	must(t, b.Fill(t.Context(), scratch, 0x22))
	if got := b.take(t, shared); !bytes.Equal(got.Bytes, v.Bytes) {
		t.Error("a copy of a copy differs")
	}
	if got := b.take(t, scratch, pristine, scratch, shared, shared, nil); bytes.Count(got.Bytes, []byte{0x22}) != len(got.Bytes) {
		t.Error("not every byte was filled")
	}
	x, y := b.make(t, tasks.Float32, 3, false), b.make(t, tasks.Int32, 3, false)
	for name, err := range map[string]error{
		"copy":    b.Copy(t.Context(), x, y),
		"convert": b.Convert(t.Context(), x, y),
		"upload":  b.Upload(t.Context(), x, zeros(tasks.Float32, 4)),
		"draw":    b.Draw(t.Context(), x, tasks.Fill{Kind: "gauss"}, 1, 1, 1),
	} {
		if err == nil {
			t.Errorf("%s of what does not fit: no error", name)
		}
	}
	if _, err := b.Share(t.Context(), x, true); err == nil {
		t.Error("a private tensor was shared")
	}
	must(t, b.Free(t.Context(), x, y))
}

func testPerturb(t *testing.T, b *bench) {
	seen := map[int]bool{}
	for seed := range uint64(20) {
		fill := tasks.Fill{Kind: "uniform", Low: -1, High: 1}
		before := b.draw(t, zeros(tasks.Float16, 1000), fill, seed, 0, 1)
		x := b.put(t, before)
		must(t, b.Perturb(t.Context(), x, fill, seed))
		after, changes := b.take(t, x, x), 0
		for i := range before.Len() {
			if off := math.Abs(after.Float(i) - before.Float(i)); off > 0 {
				changes++
				seen[i] = true
				if off < 0.5 {
					t.Errorf("seed %d: element %d moved by %v alone", seed, i, off)
				}
			}
		}
		if changes != 1 {
			t.Errorf("seed %d changed %d elements", seed, changes)
		}
	}
	if len(seen) < 15 {
		t.Errorf("20 seeds changed only %d places", len(seen))
	}
}

// testFresh sees that a shared tensor tells nothing of what its memory held.
func testFresh(t *testing.T, b *bench) {
	for range 20 {
		secret := b.make(t, tasks.Float32, 8<<20, false)
		must(t, b.Fill(t.Context(), secret, 0x5a))
		must(t, b.Free(t.Context(), secret))
		x := b.make(t, tasks.Float32, 8<<20, true)
		if v := b.take(t, x, x); bytes.Count(v.Bytes, []byte{guardByte}) != len(v.Bytes) {
			t.Fatal("a new shared tensor holds something")
		}
	}
}

func testShare(t *testing.T, b *bench) {
	if !b.mapping {
		t.Skip("the device cannot share memory")
	}
	x := b.put(t, raw(rand.New(rand.NewPCG(6, 6)), tasks.Float32, 12_345))
	if x.kind == private {
		x = b.put(t, raw(rand.New(rand.NewPCG(6, 6)), tasks.Float32, 12_345))
	}
	shared, err := b.Share(t.Context(), x, true)
	must(t, err)
	defer func() { must(t, shared.File.Close()) }()
	var seen cuda.Shared
	theirs := make([]byte, shared.Bytes)
	must(t, b.device.Do(t.Context(), func(c *cuda.Context) (err error) {
		if seen, err = c.Import(shared.File, uint64(shared.Size), cuda.ReadWrite); err != nil {
			return err
		}
		return c.Download(theirs, seen.Address+cuda.Pointer(shared.Offset))
	}))
	if ours := b.take(t, x); !bytes.Equal(ours.Bytes, theirs) || !shared.Writable || shared.Host || shared.Name != "x" {
		t.Errorf("%+v holds something else", shared)
	}
	must(t, b.device.Do(t.Context(), func(c *cuda.Context) error {
		if err := c.Fill8(seen.Address+cuda.Pointer(shared.Offset)-3, 0, 4, 0); err != nil {
			return err
		}
		return errors.Join(c.Synchronize(), c.FreeShared(seen))
	}))
	before, after, err := b.Damage(t.Context(), x)
	if err != nil || before != 3 || after != 0 {
		t.Errorf("damage %d and %d, %v; want 3 and 0", before, after, err)
	}
	must(t, b.Free(t.Context(), x))
}

// testGuards damages random places of an allocation.
func testGuards(t *testing.T, b *bench) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{1, 127, 128, 70_001, 3 << 20} {
		x := b.make(t, tasks.Float16, n, true)
		must(t, b.Fill(t.Context(), x, 0))
		want, size := damaged(rng, x)
		must(t, b.device.Do(t.Context(), func(c *cuda.Context) error { return c.Upload(x.start, size) }))
		before, after, err := b.Damage(t.Context(), x)
		if err != nil || [2]int64{before, after} != want {
			t.Errorf("%d elements: damage %d and %d, %v; want %d", n, before, after, err, want)
		}
		held := b.take(t, x)
		must(t, b.Guard(t.Context(), x))
		before, after, err = b.Damage(t.Context(), x)
		if again := b.take(t, x, x); err != nil || before+after != 0 || !bytes.Equal(again.Bytes, held.Bytes) {
			t.Errorf("%d elements: after new guards damage %d and %d, %v", n, before, after, err)
		}
	}
}

// damaged is the content of a tensor's allocation with some guards broken.
func damaged(rng *rand.Rand, x *Tensor) (broken [2]int64, content []byte) {
	content = bytes.Repeat([]byte{guardByte}, int(x.layout.size))
	places := []int64{0, x.layout.offset - 1, x.layout.offset, x.layout.offset + x.Bytes() - 1, x.layout.offset + x.Bytes(), x.layout.size - 1}
	for range 200 {
		places = append(places, rng.Int64N(x.layout.size))
	}
	for _, i := range places {
		if i >= x.layout.size || content[i] != guardByte {
			continue
		}
		content[i] = byte(i) & 0x7f
		if i < x.layout.offset {
			broken[0]++
		} else if i >= x.layout.offset+x.Bytes() {
			broken[1]++
		}
	}
	return broken, content
}

// testMirror goes by way of a file of the host.
func testMirror(t *testing.T, b *bench) {
	defer func(before bool) { b.mapping = before }(b.mapping)
	b.mapping = false
	x := b.make(t, tasks.Float32, 5000, true)
	must(t, b.Draw(t.Context(), x, tasks.Fill{Kind: "uniform", High: 1}, 1, 1, 1))
	must(t, b.Send(t.Context(), x))
	shared, err := b.Share(t.Context(), x, true)
	must(t, err)
	defer func() { must(t, shared.File.Close()) }()
	theirs := make([]byte, shared.Bytes)
	if _, err := shared.File.ReadAt(theirs, shared.Offset); err != nil {
		t.Fatal(err)
	}
	if ours := b.take(t, x); !x.Mirrored() || !shared.Host || !bytes.Equal(ours.Bytes, theirs) {
		t.Error("the file holds something else")
	}
	if _, err := shared.File.WriteAt(make([]byte, 10), shared.Offset+shared.Bytes-4); err != nil {
		t.Fatal(err)
	}
	if shared.File.Truncate(0) == nil {
		t.Error("the file can be made smaller")
	}
	must(t, b.Receive(t.Context(), x))
	before, after, err := b.Damage(t.Context(), x)
	ours := b.take(t, x, x)
	if err != nil || before != 0 || after != 6 || ours.Float(4999) != 0 || ours.Float(4998) == 0 {
		t.Errorf("damage %d and %d, %v; elements %v and %v", before, after, err, ours.Float(4998), ours.Float(4999))
	}
}

// testMemory sees that tensors which are freed cost nothing.
func testMemory(t *testing.T, b *bench) {
	free := func() (free uint64) {
		must(t, b.device.Do(t.Context(), func(c *cuda.Context) (err error) {
			free, _, err = c.MemoryInfo()
			return err
		}))
		return free
	}
	const rounds = 1000
	once := func(i int) {
		x := b.make(t, tasks.Float32, 1+i*977, true)
		y := b.make(t, tasks.Float64, 1+i*977, false)
		must(t, b.Free(t.Context(), x, y))
	}
	once(rounds)
	before, start := free(), time.Now()
	for i := range rounds {
		once(i)
	}
	each := time.Since(start) / rounds
	if after := free(); after < before {
		t.Errorf("%d bytes are gone after %d tensors", before-after, 2*rounds)
	}
	if len(b.held) != 0 {
		t.Errorf("the lab holds %d tensors", len(b.held))
	}
	t.Logf("a shared and a private tensor, made and freed: %v", each)
}

// TestDeviceClose sees that closing a lab gives everything back.
func TestDeviceClose(t *testing.T) {
	b := newBench(t)
	compiler, cache := nvrtc(t, b.device.Facts().CUDA.Major), t.TempDir()
	var was uint64
	for i := range 10 {
		start := time.Now()
		l, err := Open(t.Context(), b.device, compiler, cache)
		must(t, err)
		t.Logf("opened in %v", time.Since(start))
		other := &bench{Lab: l}
		other.make(t, tasks.Float32, 16<<20, true)
		other.make(t, tasks.Float32, 16<<20, false)
		must(t, l.Close())
		must(t, l.Close())
		var free uint64
		must(t, b.device.Do(t.Context(), func(c *cuda.Context) (err error) {
			free, _, err = c.MemoryInfo()
			return err
		}))
		if i > 1 && free < was {
			t.Errorf("round %d: %d bytes are gone", i, was-free)
		}
		was = free
	}
}
