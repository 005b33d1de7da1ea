// Package reward is the arithmetic of Kevin (arXiv 2507.11948): the score of a
// turn, the discounted return of a turn, advantages within a group, and the
// figures a set of trajectories is judged by. It is pure and knows nothing of
// sessions, models or records. Speedups are ratios of times, so nothing here has a
// unit.
//
// A nil score is a turn that says nothing about its kernel, such as a failure
// of the harness. It is never treated as 0: whatever depends on it is nil too.
//
// Start at [Score], then [Returns] and [Advantages]. A row of Kevin's table 1 is
// [OverTasks] of [BestAt] and [AvgAt], over the values of trajectories and over what
// of them [Reached] 0 (correct), 1 and 1.5.
package reward
