// Package figures writes numbers for people: times, ratios, counts, ages and the state of
// a device, each in the same words on the screen, in plain text and in tables; but plain
// text has speedups as verdicts have them, with two decimals.
//
// It knows no colours, no widths and no sessions. Start at figures.go.
package figures
