// Package keys is the one table of what keys do: the screens look their keys up
// in it, and the action bar, the help overlay and docs/keys.md are made from
// it, so that they never disagree. Start at table.go.
//
// Three rules hold on every screen: esc only closes, never stops anything;
// stopping takes the same key twice; what cannot be undone asks with another
// key than the one that started it.
package keys
