package device

import (
	"debug/elf"
	"testing"

	"example.com/hone/gpu/native"
)

func TestLibraryOffersWhatModulesCall(t *testing.T) {
	t.Parallel()
	built, err := PrepareLibrary(t.Context(), t.TempDir(), native.DefaultCompiler)
	if err != nil {
		t.Skipf("no library: %v", err)
	}
	f, err := elf.Open(built.Program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	for _, s := range symbols {
		defined[s.Name] = s.Section != elf.SHN_UNDEF
	}
	for _, name := range []string{"hone_library_start", "hone_library_load", "hone_library_begin", "hone_library_end"} {
		if !defined[name] {
			t.Errorf("%s is missing", name)
		}
	}
	if defined["main"] {
		t.Error("the library has a main")
	}
}
