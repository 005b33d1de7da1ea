package compile

import "golang.org/x/sys/unix"

// limitResources bounds what a compiler process and its children may take. A
// text can ask for any amount of memory or output; a limit that cannot be set
// leaves the time limit.
func limitResources(pid int) {
	const memory, file = 4 << 30, 256 << 20 // bytes
	_ = unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: memory, Max: memory}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: file, Max: file}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}
