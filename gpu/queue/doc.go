// Package queue lets many ask a few judges, each of which judges one kernel at a
// time: in order of arrival, everybody told how many are before them. A kernel that
// may not run yet makes nobody wait. What one judge has an error for, the others are
// asked. It judges nothing and knows no device. Start at [Queue].
package queue
