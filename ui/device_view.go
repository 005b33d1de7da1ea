package ui

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.com/hone/gpu"
	"example.com/hone/ui/figures"
	"example.com/hone/ui/term"
	"example.com/hone/ui/theme"
)

// method says how a GPU's time was measured, and what the judge's own clock says
// of it. An emulation's needs no saying.
func (v *verdictView) method(t gpu.Timing) {
	if t.Emulated {
		return
	}
	parts := []string{fmt.Sprintf("%s, %s", methodWords(t.Method), figures.Plural(t.Samples, "sample"))}
	if t.HostSlopeUS != nil {
		parts = append(parts, "host clock "+figures.Micros(*t.HostSlopeUS))
	}
	v.parts("method", v.Dim, parts)
}

// methodWords names a method of timing for people.
func methodWords(method string) string {
	if method == "cold" {
		return "cold cache"
	}
	return oneLine(method)
}

// others are the medians of the same call measured in other ways.
func (v *verdictView) others(methods map[string]gpu.Timing) {
	var parts []string
	for _, name := range methodOrder(methods) {
		parts = append(parts, oneLine(name)+" "+figures.Micros(methods[name].MedianUS))
	}
	v.parts("also", v.Dim, parts)
}

// methodOrder lists the methods as they depart from the one that is scored.
func methodOrder(methods map[string]gpu.Timing) []string {
	known := []string{"warm", "sustained", "graph"}
	names := slices.Sorted(maps.Keys(methods))
	slices.SortStableFunc(names, func(a, b string) int { return standing(known, a) - standing(known, b) })
	return names
}

// standing is where a word stands in a list, behind the end if it does not.
func standing(list []string, word string) int {
	if at := slices.Index(list, word); at >= 0 {
		return at
	}
	return len(list)
}

// parts writes the parts of a value.
func (v *verdictView) parts(label string, style theme.Style, parts []string) {
	for _, row := range pack(parts, v.w-labelWidth-4) {
		v.pairRow(label, style.Render(row))
		label = ""
	}
}

// pack joins parts to rows, as many to a row as fit into w cells.
func pack(parts []string, w int) []string {
	const gap = ", "
	var rows []string
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && term.Width(strings.Join(parts[:n+1], gap)) <= w {
			n++
		}
		rows = append(rows, strings.Join(parts[:n], gap))
		parts = parts[n:]
	}
	return rows
}

// believable is the most of a roofline, in percent, that is put down to the
// spread of its measurement.
const believable = 105

// roofline draws how near a time is to the least that the device needs.
func (v *verdictView) roofline(r *gpu.Roofline) {
	if r == nil {
		return
	}
	v.blank()
	style := v.Accent
	if r.Percent > believable {
		style = v.Warn
	}
	v.pairRow("roofline", v.gauge(r.Percent/100, style)+fmt.Sprintf("  %.0f%%, %s bound", r.Percent, oneLine(r.Bound)))
	var parts []string
	if r.Bound == "compute" && r.TFlops != nil && r.PeakTF != nil {
		parts = append(parts, fmt.Sprintf("%s of %s TFLOP/s", figures.Digits(*r.TFlops), figures.Digits(*r.PeakTF)))
	} else {
		parts = append(parts, formatRates(r.GBps, r.PeakGBps))
	}
	v.parts("", v.Dim, append(parts, "floor "+figures.Micros(r.FloorUS)))
}

// gauge draws a share of 1 as a bar, with every cell told by its glyph.
func (v *verdictView) gauge(share float64, style theme.Style) string {
	const cells = 10
	full := 0
	if share > 0 {
		full = int(math.Round(cells * min(share, 1)))
	}
	block := v.Glyphs.Spark[len(v.Glyphs.Spark)-1]
	return style.Render(strings.Repeat(block, full)) + v.Border.Render(strings.Repeat(v.Glyphs.Horizontal, cells-full))
}

// formatRates writes a bandwidth and its peak in one unit: "2.71 of 4.15 TB/s".
func formatRates(gbps, peak float64) string {
	if peak >= 1000 {
		return figures.Digits(gbps/1000) + " of " + figures.Digits(peak/1000) + " TB/s"
	}
	return figures.Digits(gbps) + " of " + figures.Digits(peak) + " GB/s"
}

// launches says what each kernel was launched with and what it takes.
func (v *verdictView) launches(all []gpu.Resources) {
	if len(all) == 0 {
		return
	}
	v.blank()
	for _, r := range all {
		v.add("   " + oneLine(r.Kernel) + v.Dim.Render(fmt.Sprintf("  grid %s  block %s", figures.Dims(r.Grid), figures.Dims(r.Block))))
		for _, row := range pack(taken(r), v.w-6) {
			v.add("     " + v.Dim.Render(row))
		}
		if r.SpillBytes != nil && *r.SpillBytes > 0 {
			v.text(v.Warn, 5, fmt.Sprintf("spills %s bytes to memory and back", figures.Count(int64(*r.SpillBytes))))
		}
	}
}

// taken is what a kernel takes of a device, as far as it is known.
func taken(r gpu.Resources) []string {
	parts := []string{figures.Plural(int(r.Launches), "launch")}
	if r.Launches != 1 {
		parts[0] = fmt.Sprintf("%s launches", figures.Count(r.Launches))
	}
	if r.SharedBytes > 0 {
		parts = append(parts, figures.Count(r.SharedBytes)+" bytes shared")
	}
	if r.Registers != nil {
		parts = append(parts, fmt.Sprintf("%d registers", *r.Registers))
	}
	if r.Occupancy != nil {
		parts = append(parts, occupancy(*r.Occupancy, r.Limiter))
	}
	return parts
}

// occupancy names what keeps more threads from a multiprocessor, if anything does.
func occupancy(share float64, limiter string) string {
	text := fmt.Sprintf("occupancy %.3g%%", 100*share)
	if limiter != "" && share < 1 {
		text += ", limited by " + oneLine(limiter)
	}
	return text
}

// device says on what a time was measured, and in which state that was.
func (v *verdictView) device(t *gpu.Timing) {
	if t == nil || t.Emulated {
		return
	}
	v.blank()
	v.pairText(v.Text, "device", t.Device)
	v.parts("", v.Dim, figures.State(*t))
	if t.Throttled != nil && *t.Throttled {
		v.pairText(v.Warn, "", figures.Throttled(t.Throttle))
	}
}
