// Package queue lets many ask one evaluator, which judges one kernel at a time:
// in order of arrival, each told how many are before it. A kernel that may not run
// yet makes nobody wait. It judges nothing and knows no device; there is one queue
// per device. Start at [Queue].
package queue
