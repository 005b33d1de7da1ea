// Package ready keeps what a task's answers are judged by, such as its references in
// processes of their own: made in the background before the first evaluation asks for it,
// and kept while answers to the same task go on coming. It also has the end of one
// evaluation overlap with the verdict's way to the reader, and nothing else.
//
// A [Keeper] serves one evaluation at a time. It judges nothing, and knows no process.
package ready
