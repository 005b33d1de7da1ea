// Package record keeps what happened in a session, one folder per run:
//
//	<dir>/<run>/events.jsonl   one complete line per event, only ever appended to
//	<dir>/<run>/blobs/         long texts, zstd, named by the SHA-256 of the text
//	<dir>/<run>/events.torn    incomplete last lines that a writer moved away
//	<dir>/<run>/lock           held by the one writer
//
// A line is an event in the envelope ktraj/1 (envelope.go). Each names the hash
// of the line before it, so that a cut or an edit shows. Every string in the
// data of an event that is longer than 4 KiB is a blob: its place holds null and
// "blobs" maps the place, a JSON pointer into the data, to the hash.
//
// [Log.Append] returns once an event is on disk. Readers never write; what they
// cannot read they return as a [Problem] beside the rest, and events of kinds
// they do not know pass through.
//
// Start at log.go for writing and read.go for reading.
package record
