package extract

// Input is one reply of a model.
type Input struct {
	Reasoning    string // from the server's own field, if it has one
	Content      string
	FinishReason string // as the server said
	Cut          bool   // the stream broke off or was cancelled
	Torch        bool   // a Python file with a class ModelNew is wanted, not a CUDA file with solve
}

// Result is what a reply holds.
type Result struct {
	Thought  string
	Kernel   string
	Language string // of the block, lower case, "" if it names none
	Rule     string // which block was taken and why, or why none
	Summary  string // the prose after the block, else before it

	Usable    bool     // Kernel may be judged
	Truncated bool     // the reply ended early, so Kernel is never usable
	Problems  []string // whatever is odd, one line each
}

// Reply takes a whole reply apart.
func Reply(in Input) Result {
	s := Stream{Torch: in.Torch}
	s.Write(true, in.Reasoning)
	s.Write(false, in.Content)
	return s.Close(in.FinishReason, in.Cut)
}
