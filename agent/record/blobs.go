package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const (
	blobThreshold = 4 << 10   // bytes; longer strings become blobs
	blobLimit     = 256 << 20 // bytes of one blob when read
	blobPrefix    = "sha256:"
)

// blobs is the folder of long texts. Equal texts are stored once.
type blobs string

// detach moves the long strings of an event's data out, and returns them by
// their reference.
func (env *envelope) detach() (map[string]string, error) {
	if len(env.Data) <= blobThreshold {
		return nil, nil // no string in it can be longer
	}
	tree, err := parse(env.Data)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	tree = walk(tree, "", func(place, text string) any {
		if len(text) <= blobThreshold {
			return text
		}
		ref := reference(text)
		env.Blobs[place], texts[ref] = ref, text
		return nil
	})
	if len(texts) == 0 {
		return nil, nil
	}
	env.Data, err = marshal(tree)
	return texts, err
}

// attach puts the long strings back, as far as get finds them.
func (env *envelope) attach(get func(ref string) (string, error)) error {
	if len(env.Blobs) == 0 {
		return nil
	}
	tree, err := parse(env.Data)
	if err != nil {
		return err
	}
	var missing error
	for place, ref := range env.Blobs {
		text, err := get(ref)
		if err == nil {
			err = put(&tree, place, text)
		}
		if err != nil {
			missing = fmt.Errorf("text of %s: %w", place, err)
		}
	}
	if env.Data, err = marshal(tree); err != nil {
		return err
	}
	return missing
}

// parse keeps numbers as they are written.
func parse(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	err := dec.Decode(&tree)
	return tree, err
}

// walk replaces every string of a tree by what replace makes of it.
func walk(node any, place string, replace func(place, text string) any) any {
	switch n := node.(type) {
	case string:
		return replace(place, n)
	case []any:
		for i := range n {
			n[i] = walk(n[i], place+"/"+strconv.Itoa(i), replace)
		}
	case map[string]any:
		for k := range n {
			n[k] = walk(n[k], place+"/"+escape(k), replace)
		}
	}
	return node
}

// put sets the string at a place, which must exist.
func put(tree *any, place, text string) error {
	if place == "" {
		*tree = text
		return nil
	}
	steps := strings.Split(place[1:], "/")
	node := *tree
	for i, step := range steps {
		last := i == len(steps)-1
		switch n := node.(type) {
		case []any:
			k, err := strconv.Atoi(step)
			if err != nil || k < 0 || k >= len(n) {
				return fmt.Errorf("no such place")
			}
			if last {
				n[k] = text
			}
			node = n[k]
		case map[string]any:
			key := unescape(step)
			if _, ok := n[key]; !ok {
				return fmt.Errorf("no such place")
			}
			if last {
				n[key] = text
			}
			node = n[key]
		default:
			return fmt.Errorf("no such place")
		}
	}
	return nil
}

// JSON pointers (RFC 6901) write ~ and / inside a step as ~0 and ~1.
func escape(step string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
}

func unescape(step string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
}

func reference(text string) string {
	sum := sha256.Sum256([]byte(text))
	return blobPrefix + hex.EncodeToString(sum[:])
}

// file is where a blob lies. The reference comes from a log, so only a real hash
// becomes a path.
func (b blobs) file(ref string) (string, error) {
	name, ok := strings.CutPrefix(ref, blobPrefix)
	if raw, err := hex.DecodeString(name); !ok || err != nil || len(raw) != sha256.Size {
		return "", fmt.Errorf("%q is no SHA-256", ref)
	}
	return filepath.Join(string(b), name+".zst"), nil
}

func (b blobs) get(ref string) (string, error) {
	path, err := b.file(ref)
	if err != nil {
		return "", err
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(blobLimit), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return "", err
	}
	defer dec.Close()
	text, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", path, err)
	}
	if reference(string(text)) != ref {
		return "", fmt.Errorf("%s holds another text than its name says", path)
	}
	return string(text), nil
}

// store makes a text durable under its reference: a file with that name is
// always whole.
func (b blobs) store(ref, text string) error {
	path, err := b.file(ref)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	temporary := path + ".tmp"
	err = writeSynced(temporary, zstd.EncodeTo(nil, []byte(text)))
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err == nil {
		err = SyncFolder(string(b))
	}
	if err != nil {
		os.Remove(temporary)
		return &WriteError{Path: path, Err: err}
	}
	return nil
}
