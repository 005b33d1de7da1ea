package compile

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
)

//go:embed device
var deviceHeaders embed.FS

//go:embed device/hone_api.h
var apiHeader embed.FS

// The headers of folder device, by what they are for.
const (
	preludeHeader = "hone_device.h" // before the device part
	launchHeader  = "hone_launch.h" // before the host part
)

// DeviceAPI holds hone_api.h alone, for the program that fills in its table: what
// host parts reach the device through.
func DeviceAPI() fs.FS {
	api, _ := fs.Sub(apiHeader, "device") // fails for a malformed path alone
	return api
}

// headerText is the text of one header of folder device.
func headerText(name string) string {
	raw, err := deviceHeaders.ReadFile("device/" + name)
	if err != nil {
		return "" // only a name that is not in the folder
	}
	return string(raw)
}

// headerNames are the names in folder device.
func headerNames() []string {
	entries, _ := deviceHeaders.ReadDir("device")
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// preludeWords are the identifiers of the device part's prelude: what of the
// namespace std device code may use.
var preludeWords = sync.OnceValue(func() map[string]bool { return wordsOf(headerText(preludeHeader)) })

// runtimeWords are the identifiers that the host part's header offers.
var runtimeWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, name := range headerNames() {
		if name != preludeHeader {
			for word := range wordsOf(headerText(name)) {
				all[word] = true
			}
		}
	}
	return all
})

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, t := range lex(text) {
		if t.kind == ident {
			words[t.text] = true
		}
	}
	return words
}

// deviceInclude reports whether a header is one for device code, which the device
// part keeps.
func deviceInclude(name string) bool {
	for _, prefix := range []string{
		"cuda_fp16", "cuda_bf16", "cuda_fp8", "cuda_fp6", "cuda_fp4", "cooperative_groups", "mma.h", "crt/mma",
		"cuda_pipeline", "cuda_awbarrier", "cuda/", "nv/", "math_constants.h",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// hoisted reports whether the device part takes a header to its top: before the
// prelude, because some declare the integer types of their own, and where a
// precompiled header can hold it. Others stay under their condition.
func hoisted(inc include) bool {
	if !deviceInclude(inc.name) || !inc.conditional {
		return deviceInclude(inc.name)
	}
	for _, prefix := range []string{"cooperative_groups", "cuda_pipeline", "cuda_awbarrier", "cuda/", "nv/"} {
		if strings.HasPrefix(inc.name, prefix) {
			return true
		}
	}
	return false
}

// toolkitInclude reports whether a header is one that the host part's own header
// takes the place of.
func toolkitInclude(name string) bool {
	switch name {
	case "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "vector_types.h",
		"vector_functions.h", "driver_types.h", "builtin_types.h", "device_functions.h", "device_atomic_functions.h",
		"sm_30_intrinsics.h", "math_functions.h":
		return true
	}
	return deviceInclude(name)
}
