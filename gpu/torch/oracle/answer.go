package oracle

import (
	"encoding/json"
	"fmt"
	"os"

	"example.com/hone/gpu/process"
	"example.com/hone/gpu/torch"
)

// maxFile bounds an answer that comes by a file.
const maxFile = 16 << 20

// decode reads an answer: its JSON, or the path of a file that holds it.
func decode[T any](lines [][]string) (T, error) {
	var value T
	var elsewhere struct {
		File string `json:"file"`
	}
	if torch.Decode(lines, &elsewhere) != nil || elsewhere.File == "" {
		return value, torch.Decode(lines, &value)
	}
	text, err := readBounded(elsewhere.File)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		return value, process.Malformedf("an answer names a file that is none: %s", err)
	}
	return value, nil
}

func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s has %d bytes, more than %d, or is no file", path, info.Size(), maxFile)
	}
	return os.ReadFile(path)
}
