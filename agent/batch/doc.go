// Package batch collects trajectories without a person: tasks x trajectories x
// turns, each trajectory a session with a record of its own. It plans them once
// ([Manifest]), runs them side by side ([Run]), tells how far they are ([Board])
// and sums them up ([Sum]).
//
// What is finished is read from the records alone, so that a run that was killed
// goes on where it was. The package opens no model and no judge, and draws
// nothing. Start at [Run].
package batch
