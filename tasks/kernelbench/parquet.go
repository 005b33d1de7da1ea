package kernelbench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// readParquet gives take each row, numbered from 1, until it wants no more. The
// error says why the file, or the rest of it, cannot be read.
func readParquet(from io.ReaderAt, size int64, take func(n int, r row, err error) bool) (err error) {
	// The library panics on some damaged files.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("is no Parquet file that can be read: %v", p)
		}
	}()
	if err := footed(from, size); err != nil {
		return err
	}
	file, err := parquet.OpenFile(from, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("is no Parquet file: %w", err)
	}
	if err := bounded(file); err != nil {
		return err
	}
	columns, err := columnsOf(file.Schema())
	if err != nil {
		return err
	}
	n := 0
	for _, group := range file.RowGroups() {
		more, err := columns.group(group, func(r row, err error) bool { n++; return take(n, r, err) })
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// footed checks the end of a file, a footer's length and "PAR1": the library
// allocates whatever length stands there.
func footed(from io.ReaderAt, size int64) error {
	const frame = 4 + 8 // "PAR1" at the start as well
	var end [8]byte
	if size < frame {
		return errors.New("is no Parquet file: it is too short")
	}
	if _, err := from.ReadAt(end[:], size-int64(len(end))); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if length := int64(binary.LittleEndian.Uint32(end[:])); string(end[4:]) != "PAR1" || length > size-frame {
		return errors.New("is no Parquet file, or its end is missing")
	}
	return nil
}

// bounded refuses a file that would not fit into memory, going by what it says.
func bounded(file *parquet.File) error {
	unpacked := int64(0)
	for _, group := range file.Metadata().RowGroups {
		for _, column := range group.Columns {
			if n := column.MetaData.TotalUncompressedSize; n < 0 || n > maxTable-unpacked {
				return fmt.Errorf("unpacks to more than %d bytes", maxTable)
			}
			unpacked += column.MetaData.TotalUncompressedSize
		}
	}
	return nil
}

// columns are the places of a row's values.
type columns struct{ code, level, name, number int }

func columnsOf(schema *parquet.Schema) (columns, error) {
	var c columns
	for name, place := range map[string]*int{"code": &c.code, "level": &c.level, "name": &c.name, "problem_id": &c.number} {
		leaf, ok := schema.Lookup(name)
		if !ok || leaf.Node.Repeated() {
			return c, fmt.Errorf("has no column %s: want code, level, name and problem_id", name)
		}
		*place = leaf.ColumnIndex
	}
	return c, nil
}

// group reads one row group. more is false once take wants no more.
func (c columns) group(group parquet.RowGroup, take func(row, error) bool) (more bool, err error) {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 16)
	for {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			if r, err := c.row(values); !take(r, err) {
				return false, nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("cannot be read to its end: %w", err)
		case n == 0:
			return false, errors.New("cannot be read to its end: it gives no more rows, and no end")
		}
	}
}

// row copies a row out of the library's buffers.
func (c columns) row(values parquet.Row) (r row, err error) {
	for _, v := range values {
		if v.IsNull() {
			continue
		}
		switch v.Column() {
		case c.code:
			r.Code, err = text(v)
		case c.name:
			r.Name, err = text(v)
		case c.level:
			r.Level, err = number(v)
		case c.number:
			r.Number, err = number(v)
		}
		if err != nil {
			return row{}, err
		}
	}
	return r, nil
}

func text(v parquet.Value) (*string, error) {
	if v.Kind() != parquet.ByteArray {
		return nil, fmt.Errorf("code and name are to be texts, not %v", v.Kind())
	}
	s := string(v.ByteArray())
	return &s, nil
}

func number(v parquet.Value) (*float64, error) {
	var f float64
	switch v.Kind() {
	case parquet.Int32:
		f = float64(v.Int32())
	case parquet.Int64:
		f = float64(v.Int64())
	case parquet.Float:
		f = float64(v.Float())
	case parquet.Double:
		f = v.Double()
	default:
		return nil, fmt.Errorf("level and problem_id are to be numbers, not %v", v.Kind())
	}
	return &f, nil
}
