package llm

import (
	"bytes"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxRaw bounds what is kept of a response's body; its beginning stays.
const maxRaw = 32 << 20

// rawBody keeps the bytes of a response as they come, packed: a stream repeats
// the same fields for every token, some thirty times the size of its text.
type rawBody struct {
	packed bytes.Buffer
	pack   *zstd.Encoder // nil until the first byte
	size   int           // unpacked
}

// tee is r, with all that is read from it kept.
func (b *rawBody) tee(r io.Reader) io.Reader { return io.TeeReader(r, b) }

// Write implements io.Writer. It never fails: what cannot be kept is left out.
func (b *rawBody) Write(p []byte) (int, error) {
	kept := p[:min(len(p), maxRaw-b.size)]
	b.size += len(kept)
	if b.pack == nil {
		b.pack, _ = zstd.NewWriter(&b.packed, zstd.WithEncoderLevel(zstd.SpeedFastest), // these options are valid
			zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(32<<10), zstd.WithLowerEncoderMem(true))
	}
	_, _ = b.pack.Write(kept) // into memory
	return len(p), nil
}

// text is what was kept, without the key. It ends the keeping.
func (b *rawBody) text(key Key) string {
	if b.pack == nil {
		return ""
	}
	_ = b.pack.Close() // into memory
	unpack, err := zstd.NewReader(&b.packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return ""
	}
	defer unpack.Close()
	var text strings.Builder
	_, _ = io.Copy(&text, unpack)
	return hideLines(text.String(), string(key))
}
