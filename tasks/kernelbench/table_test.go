package kernelbench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// line is a row as a line of JSON.
func line(code string, level, number int, name string) string {
	text, err := json.Marshal(map[string]any{"code": code, "level": level, "problem_id": number, "name": name})
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

func TestRowsOfLines(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(good, "return []", "return [", 1)
	text := line(good, 2, 10, "10_Tenth") + // 1
		"\n" + // 2: blank
		line(good, 2, 9, "9_Ninth.py") + // 3
		"{\"code\": \n" + // 4
		"[1, 2]\n" + // 5
		`{"code": "x", "level": 1}` + "\n" + // 6
		line(broken, 2, 11, "11_Broken") + // 7
		line(good, 2, 10, "10_Again") + // 8
		line(good, 100, 1, "1_A") + // 9
		`{"code": 3, "level": 1, "problem_id": 1}` + "\n" + // 10
		"{\"code\": \"\xff\"}\n" + // 11
		line(good, 2, 12, "12_\x1b[2J") + // 12
		`{"code": "x", "level": 1.5, "problem_id": 1}` + "\n" + // 13
		strings.Repeat("x", maxLine+1) + "\n" + // 14
		strings.TrimSpace(strings.Replace(line(good, 1, 1, "1_Last"), `"level":1`, `"level":1.0`, 1)) // 15, with no end
	path := filepath.Join(write(t, map[string]string{"rows.jsonl": text}), "rows.jsonl")
	got, problems := load(t, path)
	if want := []string{"kernelbench/level1/1", "kernelbench/level2/9", "kernelbench/level2/10"}; !reflect.DeepEqual(ids(got), want) {
		t.Fatalf("got %v, want %v", ids(got), want)
	}
	if ninth := got[1]; ninth.Name != "9_Ninth" || ninth.Title != "Ninth" || ninth.Path != path+":3" || ninth.Reference != good || ninth.Level != 2 {
		t.Errorf("got %+v", ninth)
	}
	wants := []string{
		":4: is no row of tasks", ":5: want a JSON object", ":6: the row has no problem_id",
		`:7: line 15 of code: "[" is never closed`, ":8: is a second kernelbench/level2/10: the first is " + path + ":1",
		":9: the row's level is 100: want a whole number from 1 to 99", ":10: is no row of tasks", ":11: is no text in UTF-8",
		":12: the row's name is no line", ":13: the row's level is 1.5", ":14: the line is longer than",
	}
	for i, p := range problems {
		if i >= len(wants) || !strings.HasPrefix(p.Error(), path+wants[i]) {
			t.Errorf("problem %d: %v", i, p)
		}
	}
	if len(problems) != len(wants) {
		t.Errorf("%d problems, want %d", len(problems), len(wants))
	}
}

// parquetRow is KernelBench's own schema.
type parquetRow struct {
	Code   string `parquet:"code"`
	Level  int64  `parquet:"level"`
	Name   string `parquet:"name"`
	Number int64  `parquet:"problem_id"`
}

// floatRow is what tools that know no missing integers write.
type floatRow struct {
	Index  int64    `parquet:"__index"`
	Number float64  `parquet:"problem_id"`
	Code   *string  `parquet:"code,optional,zstd"`
	Level  *float64 `parquet:"level,optional"`
	Name   string   `parquet:"name,dict"`
}

func inParquet[T any](t testing.TB, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRowsOfParquet(t *testing.T) {
	t.Parallel()
	rows := []parquetRow{
		{good, 1, "10_Tenth", 10}, {good, 1, "9_Ninth", 9}, {"class", 1, "8_Bad", 8}, {good, 0, "7_Level", 7}, {good, 1, "10_Again", 10},
	}
	for name, options := range map[string][]parquet.WriterOption{
		"plain": nil, "snappy": {parquet.Compression(&parquet.Snappy)}, "several groups": {parquet.MaxRowsPerRowGroup(2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(write(t, map[string]string{"rows.parquet": inParquet(t, rows, options...)}), "rows.parquet")
			got, problems := load(t, path)
			if want := []string{"kernelbench/level1/9", "kernelbench/level1/10"}; !reflect.DeepEqual(ids(got), want) || got[0].Reference != good {
				t.Fatalf("got %v, %v, want %v", ids(got), problems, want)
			}
			wants := []string{":3: no class Model", ":4: the row's level is 0", ":5: is a second kernelbench/level1/10"}
			if len(problems) != len(wants) {
				t.Fatalf("problems: %v", problems)
			}
			for i, want := range wants {
				if !strings.HasPrefix(problems[i].Error(), path+want) {
					t.Errorf("got  %v\nwant %s", problems[i], want)
				}
			}
		})
	}
}

func TestParquetOfOtherTools(t *testing.T) {
	t.Parallel()
	code, level := good, 3.0
	rows := []floatRow{{0, 4, &code, &level, "4_Fourth"}, {1, 5, nil, &level, "5_None"}, {2, 6, &code, nil, "6_None"}}
	got, problems := load(t, filepath.Join(write(t, map[string]string{"r.parquet": inParquet(t, rows)}), "r.parquet"))
	if !reflect.DeepEqual(ids(got), []string{"kernelbench/level3/4"}) || len(problems) != 2 || problems[0].Line != 2 || problems[1].Line != 3 {
		t.Errorf("got %v, %v", ids(got), problems)
	}
}

func TestParquetWithoutItsColumns(t *testing.T) {
	t.Parallel()
	type other struct {
		Code  string   `parquet:"code"`
		Level []int64  `parquet:"level,list"`
		Name  []string `parquet:"name"`
	}
	type text struct {
		Code   int64  `parquet:"code"`
		Level  string `parquet:"level"`
		Name   string `parquet:"name"`
		Number int64  `parquet:"problem_id"`
	}
	for name, c := range map[string]struct{ file, want string }{
		"missing":     {inParquet(t, []other{{"x", nil, nil}}), "has no column"},
		"other types": {inParquet(t, []text{{1, "1", "1_A", 1}}), "are to be"},
	} {
		_, problems := load(t, filepath.Join(write(t, map[string]string{"r.parquet": c.file}), "r.parquet"))
		if len(problems) != 1 || !strings.Contains(problems[0].Text, c.want) {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

// Bounds hold whatever the text, and every row has a line of the file.
func FuzzLines(f *testing.F) {
	f.Add(line(good, 1, 2, "2_A") + "\n{}\n")
	f.Add(`{"code":"","level":1e300,"problem_id":-0.5,"name":null}` + "\n[\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		lines, last := strings.Count(text, "\n")+1, 0
		err := readLines(strings.NewReader(text), func(n int, r row, err error) bool {
			if n <= last || n > lines {
				t.Errorf("line %d after %d, of %d", n, last, lines)
			}
			last = n
			checkRow(t, r, err)
			return true
		})
		if err != nil {
			t.Errorf("a text in memory was not read: %v", err)
		}
	})
}

func FuzzParquet(f *testing.F) {
	f.Add([]byte(inParquet(f, []parquetRow{{good, 1, "1_A", 1}, {"x", 2, "2_B", 2}})))
	f.Add([]byte(inParquet(f, []parquetRow{{good, 1, "1_A", 1}}, parquet.Compression(&parquet.Snappy))))
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, file []byte) {
		err := readParquet(bytes.NewReader(file), int64(len(file)), func(n int, r row, err error) bool {
			checkRow(t, r, err)
			return n < 1000
		})
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("an error without words")
		}
	})
}

func checkRow(t *testing.T, r row, err error) {
	t.Helper()
	if err != nil {
		return
	}
	task, err := r.task()
	if err == nil && (task.ID != printable(task.ID) || task.Level < 1 || task.Level > maxLevel || task.Title == "" || len(task.Name) > maxName) {
		t.Errorf("accepted: %+v", task)
	}
}

// A damaged file is reported, whichever byte is wrong and wherever it ends.
func TestDamagedParquet(t *testing.T) {
	t.Parallel()
	file := []byte(inParquet(t, []parquetRow{{good, 1, "1_A", 1}, {good, 1, "2_B", 2}}, parquet.Compression(&parquet.Snappy)))
	read := func(b []byte) error {
		return readParquet(bytes.NewReader(b), int64(len(b)), func(n int, _ row, _ error) bool { return n < 1000 })
	}
	for at := range file {
		damaged := bytes.Clone(file)
		damaged[at] ^= 0x5a
		_ = read(damaged) // whatever it says: it must come back
		if err := read(file[:at]); err == nil {
			t.Errorf("%d of %d bytes were read without an error", at, len(file))
		}
	}
	if err := read(file); err != nil {
		t.Error(err)
	}
}

// TestCheckout loads a real one where HONE_KERNELBENCH names it.
func TestCheckout(t *testing.T) {
	t.Parallel()
	path := os.Getenv("HONE_KERNELBENCH")
	if path == "" {
		t.Skip("HONE_KERNELBENCH names no checkout of KernelBench")
	}
	got, problems := load(t, path)
	perLevel := map[int]int{}
	for _, task := range got {
		perLevel[task.Level]++
	}
	if want := map[int]int{1: 100, 2: 100, 3: 50, 4: 20}; !reflect.DeepEqual(perLevel, want) {
		t.Errorf("tasks of each level: %v, want %v", perLevel, want)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
