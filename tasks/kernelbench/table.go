package kernelbench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"example.com/hone/tasks"
)

const (
	maxLevel  = 99
	maxNumber = 1_000_000
	maxName   = 200
	maxLine   = 8 * tasks.MaxFile // of a .jsonl file: every character of the longest reference may be escaped
)

// row is one row of KernelBench's data set. Numbers are floats since that is what
// some tools make of a column of integers.
type row struct {
	Code   *string  `json:"code"`
	Level  *float64 `json:"level"`
	Name   *string  `json:"name"`
	Number *float64 `json:"problem_id"`
}

// table reads the rows of a .jsonl or .parquet file.
func (l *loader) table(path string, size int64) {
	f, err := os.Open(path)
	if err != nil {
		l.report(path, 0, "%v", err)
		return
	}
	defer f.Close()
	if strings.HasSuffix(path, ".parquet") {
		err = readParquet(f, size, func(n int, r row, err error) bool { return l.row(path, n, r, err) })
	} else {
		err = readLines(f, func(n int, r row, err error) bool { return l.row(path, n, r, err) })
	}
	if err != nil {
		l.report(path, 0, "%v", err)
	}
}

// row takes one row, or why it is none, and reports whether to read on.
func (l *loader) row(path string, n int, r row, err error) bool {
	t, wrong := r.task()
	if err == nil {
		err = wrong
	}
	if err != nil {
		l.report(path, n, "%v", err)
		return !l.full()
	}
	t.Path = fmt.Sprintf("%s:%d", path, n)
	l.add(t, path, n)
	return !l.full()
}

// task is what a row says, without a path.
func (r row) task() (tasks.Task, error) {
	if r.Code == nil {
		return tasks.Task{}, errors.New("the row has no code")
	}
	level, err := integer("level", r.Level, 1, maxLevel)
	if err != nil {
		return tasks.Task{}, err
	}
	number, err := integer("problem_id", r.Number, 0, maxNumber)
	if err != nil {
		return tasks.Task{}, err
	}
	name := fmt.Sprint(number)
	if r.Name != nil && *r.Name != "" {
		name = strings.TrimSuffix(*r.Name, ".py")
	}
	if len(name) > maxName || name != printable(name) {
		return tasks.Task{}, fmt.Errorf("the row's name is no line of at most %d letters", maxName)
	}
	return tasks.Task{
		ID: numbered(level, number), Name: name, Title: title(name), Level: level,
		Reference: strings.TrimPrefix(*r.Code, byteOrderMark),
	}, nil
}

func integer(column string, value *float64, low, high int) (int, error) {
	switch {
	case value == nil:
		return 0, fmt.Errorf("the row has no %s", column)
	case !(*value >= float64(low) && *value <= float64(high)) || *value != math.Trunc(*value):
		return 0, fmt.Errorf("the row's %s is %v: want a whole number from %d to %d", column, *value, low, high)
	}
	return int(*value), nil
}

// readLines gives take each line that is not blank, numbered from 1, until it
// wants no more.
func readLines(from io.Reader, take func(n int, r row, err error) bool) error {
	lines := bufio.NewReaderSize(from, 64<<10)
	for n := 1; ; n++ {
		line, whole, err := nextLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		ended := err != nil
		if !whole {
			if !take(n, row{}, fmt.Errorf("the line is longer than %d bytes", maxLine)) {
				return nil
			}
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			if r, err := decodeLine(line); !take(n, r, err) {
				return nil
			}
		}
		if ended {
			return nil
		}
	}
}

// nextLine reads one line, of which no more than maxLine bytes are kept. The error
// is io.EOF with the last.
func nextLine(from *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := from.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxLine; whole {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

func decodeLine(line []byte) (row, error) {
	var r row
	if !utf8.Valid(line) { // encoding/json would replace what is not
		return r, errors.New("is no text in UTF-8")
	}
	if line[0] != '{' {
		return r, errors.New("want a JSON object with code, level, name and problem_id")
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return row{}, fmt.Errorf("is no row of tasks: %w", err)
	}
	return r, nil
}
