// Package quiet keeps the program from asking the terminal for its background
// colour while it starts. Bubble Tea asks as it is imported, and waits up to
// five seconds for a terminal that does not answer, even for "hone version".
//
// Import it for its effect, from main, before anything else of the screen. It
// works because Go initialises packages in the order of their import paths as
// far as their imports allow: this one needs lipgloss only, and its path sorts
// before Bubble Tea's. It must therefore never import more.
package quiet
