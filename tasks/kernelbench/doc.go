// Package kernelbench loads tasks that are known by a PyTorch reference alone, in
// the forms in which KernelBench and its users keep them:
//
//   - a checkout: a folder with KernelBench/level1 to level4, or level1 to level4
//   - a folder of .py files, at any depth
//   - one .py file
//   - rows of its data set, as .jsonl or .parquet: code, level, name, problem_id
//
// Nothing is run: a reference is checked as far as its text tells, and what it
// takes and gives is found out later, by whoever runs it. A bad file or row is a
// [tasks.Problem] and the others load.
//
// Start at [Load]; identity.go says how tasks are named.
package kernelbench
