package theme

// palette is the colours of one theme. Text colours keep a contrast of 4.5 to 1
// on the backgrounds that terminals of that kind have; the tests compute it.
type palette struct {
	dim, border, selected colour
	accent                colour
	good, bad, warn       colour
	violet, teal, orange  colour // only in source text
}

func dark() palette {
	return palette{
		dim:      colour{0x98a1b3, 8},
		border:   colour{0x4c5566, 8},
		selected: colour{0x2b3446, 0},
		accent:   colour{0x7cb7ff, 12},
		good:     colour{0x8fd694, 2},
		bad:      colour{0xff8f8f, 9},
		warn:     colour{0xe8c46a, 3},
		violet:   colour{0xc4a7f5, 5},
		teal:     colour{0x7fd1c7, 6},
		orange:   colour{0xe8a87c, 3},
	}
}

func light() palette {
	return palette{
		dim:      colour{0x5b6472, 8},
		border:   colour{0xb4bcc8, 7},
		selected: colour{0xdce6f5, 7},
		accent:   colour{0x0b57b0, 4},
		good:     colour{0x1a6b2b, 2},
		bad:      colour{0xb3261e, 1},
		warn:     colour{0x7d5200, 5},
		violet:   colour{0x6a3499, 5},
		teal:     colour{0x0b6663, 6},
		orange:   colour{0x94450b, 1},
	}
}
