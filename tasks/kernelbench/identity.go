package kernelbench

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"example.com/hone/tasks"
)

// source begins the IDs of what has a level and a number.
const source = "kernelbench"

// identify says what a task is called by its file: in a folder level1, 23_Softmax.py
// is "kernelbench/level1/23" wherever that folder lies, so that records of one task
// belong together. Any other file has the ID it is given.
func identify(file, id string) tasks.Task {
	t := tasks.Task{ID: id, Name: stem(file), Title: title(stem(file)), Path: file}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return t
	}
	level, ok := levelOf(filepath.Base(filepath.Dir(absolute)))
	if !ok {
		return t
	}
	t.Level = level
	if n, ok := numberOf(t.Name); ok {
		t.ID = numbered(level, n)
	} else {
		t.ID = path.Join(source, fmt.Sprintf("level%d", level), t.Name)
	}
	return t
}

// numbered is the ID of a problem of KernelBench.
func numbered(level, number int) string { return fmt.Sprintf("%s/level%d/%d", source, level, number) }

// idBelow is the ID of a file in a folder: the folder's name, and the path below it.
func idBelow(root, file string) string {
	absolute, err := filepath.Abs(root)
	if err != nil {
		absolute = root
	}
	below, err := filepath.Rel(root, file)
	if err != nil {
		below = filepath.Base(file)
	}
	return path.Join(filepath.Base(absolute), filepath.ToSlash(strings.TrimSuffix(below, filepath.Ext(below))))
}

func stem(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

// levelOf reads the name of a level's folder.
func levelOf(folder string) (level int, ok bool) {
	found := regexp.MustCompile(`^level_?([1-9][0-9]?)$`).FindStringSubmatch(folder)
	if found == nil {
		return 0, false
	}
	level, err := strconv.Atoi(found[1])
	return level, err == nil
}

// numberOf is the number that a problem's name begins with.
func numberOf(name string) (number int, ok bool) {
	digits, _, _ := strings.Cut(name, "_")
	number, err := strconv.Atoi(digits)
	return number, err == nil && number >= 0 && number <= maxNumber
}

// title makes "Square matrix multiplication" of "1_Square_matrix_multiplication_".
func title(name string) string {
	words := name
	if _, ok := numberOf(name); ok {
		_, words, _ = strings.Cut(name, "_")
	}
	words = strings.Join(strings.Fields(strings.ReplaceAll(words, "_", " ")), " ")
	return cmp.Or(words, name)
}

// compareNatural orders texts as people do: "level1/9" before "level1/10".
func compareNatural(x, y string) int {
	for x != "" && y != "" {
		a, b := digits(x), digits(y)
		if a == "" || b == "" {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		m, n := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}
		x, y = x[len(a):], y[len(b):]
	}
	return cmp.Compare(len(x), len(y))
}

// digits are those that a text begins with.
func digits(s string) string {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return s[:i]
		}
	}
	return s
}
