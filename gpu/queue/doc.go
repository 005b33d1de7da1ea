// Package queue lets many ask a few judges, each of which judges one kernel at a
// time: in order of arrival, everybody told how many are before them. A kernel that
// may not run yet makes nobody wait. It judges nothing and knows no device. Start at
// [Queue].
package queue
