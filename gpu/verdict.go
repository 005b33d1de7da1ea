package gpu

// VerdictSchema names the JSON form of [Verdict].
const VerdictSchema = "hone.verdict/1"

// Outcome is the result of an evaluation, the first that applies in this order.
type Outcome string

// The outcomes. OutcomeUnsupported says nothing about the kernel's worth: it uses
// something that only a GPU can run, or that is not installed here.
const (
	OutcomeParse       Outcome = "parse_error"
	OutcomeRule        Outcome = "rule_violation"
	OutcomeUnsupported Outcome = "unsupported"
	OutcomeCompile     Outcome = "compile_error"
	OutcomeRuntime     Outcome = "runtime_error"
	OutcomeTimeout     Outcome = "timeout"
	OutcomeMismatch    Outcome = "mismatch"
	OutcomeSuspect     Outcome = "suspect"
	OutcomeCorrect     Outcome = "correct"
)

// Correct reports whether the kernel passed every check.
func (o Outcome) Correct() bool { return o == OutcomeCorrect }

// Scored reports whether the outcome says something about the kernel.
func (o Outcome) Scored() bool { return o != OutcomeUnsupported && o != "" }

// Verdict is what is known of one kernel after an evaluation. Pointers are nil,
// and null in JSON, where a figure is unknown.
type Verdict struct {
	Schema       string  `json:"schema"`
	Task         string  `json:"task"`
	TaskSHA256   string  `json:"task_sha256"`
	Dialect      Dialect `json:"dialect"`
	KernelSHA256 string  `json:"kernel_sha256"`

	Outcome  Outcome `json:"outcome"`
	Summary  string  `json:"summary"`  // one line for a person
	Feedback string  `json:"feedback"` // exactly what the model is told

	Stages      []StageResult      `json:"stages"`
	Diagnostics []Diagnostic       `json:"diagnostics"`
	Check       *Check             `json:"check"`
	Timing      *Timing            `json:"timing"`
	Methods     map[string]Timing  `json:"methods"`     // the same call measured in other ways: "warm", "sustained", "graph"
	Baselines   map[string]Timing  `json:"baselines"`   // "reference", later "eager", "compile", "best"
	Speedup     map[string]float64 `json:"speedup"`     // same keys: baseline time / kernel time
	Score       *float64           `json:"score"`       // 0.3 + speedup if correct, 0 if not, nil if not scored
	ScoreBasis  string             `json:"score_basis"` // the baseline the score used: "eager" or "reference"
	Resources   []Resources        `json:"resources"`
	Roofline    *Roofline          `json:"roofline"`
	Findings    []Finding          `json:"findings"`
	Sandbox     map[string]string  `json:"sandbox"`     // layer -> "on" or "off: reason"
	Environment map[string]string  `json:"environment"` // device, compiler, sizes, versions
}

// BaselineName puts a key of Baselines in words, as in "2.0x the reference".
func BaselineName(key string) string {
	switch key {
	case "eager":
		return "PyTorch eager"
	case "compile":
		return "torch.compile"
	}
	return "the " + key
}

// StageResult is one stage of a verdict.
type StageResult struct {
	Name   Stage   `json:"name"`
	Status Status  `json:"status"`
	MS     float64 `json:"ms"` // milliseconds
	Detail string  `json:"detail"`
}

// Diagnostic is one message of a compiler, placed in the user's own text.
type Diagnostic struct {
	Tool     string   `json:"tool"` // "g++", "nvrtc", "hone"
	File     string   `json:"file"` // "kernel.cu" for the user's text
	Line     int      `json:"line"` // 1-based, 0 when unknown
	Column   int      `json:"column"`
	Severity string   `json:"severity"` // "error", "warning", "note"
	Code     string   `json:"code"`     // the compiler's own number or flag, may be empty
	Message  string   `json:"message"`
	Notes    []string `json:"notes,omitempty"`
}

// Check is the comparison of a kernel's outputs with the truth.
type Check struct {
	Trials    int    `json:"trials"`
	Passed    int    `json:"passed"`
	Criterion string `json:"criterion"` // "fp64": atol + rtol*|truth| against the reference in double; "native": in the task's own types

	MaxAbs *float64 `json:"max_abs"` // worst absolute error over the elements compared
	MaxRel *float64 `json:"max_rel"`
	Atol   float64  `json:"atol"`
	Rtol   float64  `json:"rtol"`

	KernelBenchPass *bool      `json:"kernelbench_pass"` // KernelBench's own criterion on the same outputs
	Wrong           int64      `json:"wrong"`            // elements out of tolerance, over all trials
	Total           int64      `json:"total"`
	First           []Mismatch `json:"first"`   // the first five
	Pattern         string     `json:"pattern"` // a guess in words: "every row after 1024", may be empty
}

// Mismatch is one wrong element. Values that JSON cannot carry are strings.
type Mismatch struct {
	Trial    int     `json:"trial"`
	Output   string  `json:"output"` // the tensor's name
	Index    []int64 `json:"index"`
	Expected Number  `json:"expected"`
	Got      Number  `json:"got"`
}

// Timing is a measured duration of one call of solve.
type Timing struct {
	Device      string      `json:"device"`
	Emulated    bool        `json:"emulated"` // true: a CPU emulation's time, never a GPU's
	Method      string      `json:"method"`   // "cold", "warm", "sustained", "graph"; "host" by emulation
	MedianUS    float64     `json:"median_us"`
	CI95US      *[2]float64 `json:"ci95_us"` // order-statistic interval of the median
	Samples     int         `json:"samples"`
	HostSlopeUS *float64    `json:"host_slope_us"` // the judge's own clock, per call
	ClockMHz    *float64    `json:"clock_mhz"`     // of the multiprocessors, the lowest seen while it was measured
	Temperature *float64    `json:"temperature_c"` // degrees Celsius, the highest seen
	Power       *float64    `json:"power_w"`       // watts, the highest seen
	Throttled   *bool       `json:"throttled"`     // the device held its clocks down meanwhile
	Throttle    []string    `json:"throttle"`      // why, in words; empty when it did not, nil when unknown
}

// Roofline holds a time against the least that this device needs for the task:
// for the bytes that must move, as long as its own copy of as many takes under
// the same method, and for the operations, as long as they take at the measured
// peak of the fastest units that can do them.
type Roofline struct {
	Bytes    int64    `json:"bytes"` // every input read once, every output written once
	Flops    *int64   `json:"flops"`
	Bound    string   `json:"bound"`    // "memory" or "compute": what takes longer
	FloorUS  float64  `json:"floor_us"` // the least time
	Percent  float64  `json:"percent"`  // 100 * floor / time
	GBps     float64  `json:"achieved_gbps"`
	PeakGBps float64  `json:"peak_gbps"` // of the device's own copy of as many bytes
	TFlops   *float64 `json:"achieved_tflops"`
	PeakTF   *float64 `json:"peak_tflops"`
}

// Resources are what one kernel takes on a device. CPU emulation fills in the
// launches and the shared memory only.
type Resources struct {
	Kernel      string   `json:"kernel"`
	Launches    int64    `json:"launches"` // per call of solve
	Grid        [3]int64 `json:"grid"`     // of the last launch
	Block       [3]int64 `json:"block"`
	SharedBytes int64    `json:"shared_bytes"` // static and dynamic, per block
	Registers   *int     `json:"registers"`
	SpillBytes  *int     `json:"spill_bytes"`
	Occupancy   *float64 `json:"occupancy"`
	Limiter     string   `json:"limiter"`
}

// Finding is something the harness saw beyond the outcome.
type Finding struct {
	Kind     string `json:"kind"`     // "race", "uninitialised_shared", "barrier_divergence", "out_of_bounds", ...
	Severity string `json:"severity"` // "error" decided the outcome, "suspect", "warning"
	Evidence string `json:"evidence"` // one line, with line, block and thread where known
	Line     int    `json:"line"`     // in the user's text, 0 when unknown
}
