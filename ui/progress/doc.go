// Package progress shows how far a run without a person is: on a terminal as a
// small table at its bottom that is drawn anew a few times a second and stands
// still otherwise, elsewhere as one line for each trajectory that ends. It takes
// no keys and starts no screen. Start at [NewLive] and [NewLines].
package progress
