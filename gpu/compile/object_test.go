package compile

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestNameExpressions(t *testing.T) {
	t.Parallel()
	cases := []struct{ demangled, want string }{
		{"void k<float, 4>(float const*, int)", "k<float, 4>"},
		{"k(float*)", "k"},
		{"ns::detail::add(float const*, void (*)(int))", "ns::detail::add"},
		{"void hone_unnamed::k<hone_unnamed::P>(hone_unnamed::P)", "k<P>"},
		{"void k<(Mode)1, (3 > 2)>()", "k<(Mode)1, (3 > 2)>"},
		{"c", "c"}, {"", ""}, {")", ")"},
	}
	for _, c := range cases {
		if got := nameExpression(c.demangled); got != c.want {
			t.Errorf("%q: got %q, want %q", c.demangled, got, c.want)
		}
	}
}

func TestFunctionSymbols(t *testing.T) {
	t.Parallel()
	for encoding, want := range map[string]string{
		"3addPKfS0_Pfl": "_Z3addPKfS0_Pfl", "3add": "add", "N2ns3addEv": "_ZN2ns3addEv", "1kILi4EEvPf": "_Z1kILi4EEvPf", "": "_Z",
	} {
		if got := functionSymbol(encoding); got != want {
			t.Errorf("%q: got %q, want %q", encoding, got, want)
		}
	}
}

// TestParameterSizes reads records as ptxas 13.0 writes them: 16, 8 and 1 bytes.
func TestParameterSizes(t *testing.T) {
	t.Parallel()
	const records = "0437040082000000" + "04170c00000000000200180000f00500" + "04170c00000000000100100000f02100" +
		"04170c00000000000000000000f04100" + "03500000031bff00" + "041c040080000000"
	raw, err := hex.DecodeString(records)
	if err != nil {
		t.Fatal(err)
	}
	if got := parameterSizes(raw); !slices.Equal(got, []int{16, 8, 1}) {
		t.Errorf("got %v", got)
	}
	for cut := range raw {
		parameterSizes(raw[:cut]) // must not read beyond the end
	}
	if got := parameterSizes([]byte{4, 0x17, 0xff, 0xff, 1}); len(got) != 0 {
		t.Errorf("got %v of a record that is cut", got)
	}
}

func TestForeignObjects(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "object")
	if err := os.WriteFile(path, []byte("not an object"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := hostKernels(path); err == nil {
		t.Error("kernels of what is no object")
	}
	if _, err := readCubin([]byte("\x7fELF")); err == nil {
		t.Error("parameters of what is no cubin")
	}
	if got := readCubinFile(path); len(got.parameters)+len(hostVariables(path)) > 0 {
		t.Errorf("got %v", got)
	}
}
