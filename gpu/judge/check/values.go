package check

import (
	"encoding/binary"
	"math"

	"example.com/hone/tasks"
)

// Values is the content of one tensor, as the bytes that a kernel reads or writes.
type Values struct {
	Name  string
	DType tasks.DType
	Shape []int64
	Bytes []byte
}

// New is a tensor of zeros at a size.
func New(t tasks.Tensor, size tasks.SizeSet) (Values, error) {
	shape, err := size.Shape(t)
	if err != nil {
		return Values{}, err
	}
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return Values{Name: t.Name, DType: t.DType, Shape: shape, Bytes: make([]byte, n*t.DType.Bytes())}, nil
}

// As is the same tensor with another floating type. Integers stay as they are.
func (v Values) As(dtype tasks.DType) Values {
	if !v.DType.Floating() || v.DType == dtype {
		return v
	}
	other := Values{Name: v.Name, DType: dtype, Shape: v.Shape, Bytes: make([]byte, int64(v.Len())*dtype.Bytes())}
	for i := range v.Len() {
		other.SetFloat(i, v.Float(i))
	}
	return other
}

// Len is the number of elements.
func (v Values) Len() int { return len(v.Bytes) / int(v.DType.Bytes()) }

// Float is the value of one element. A 64-bit integer may be rounded by it.
func (v Values) Float(i int) float64 {
	switch v.DType {
	case tasks.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(v.Bytes[8*i:]))
	case tasks.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v.Bytes[4*i:])))
	case tasks.Float16:
		return half.unpack(binary.LittleEndian.Uint16(v.Bytes[2*i:]))
	case tasks.BFloat16:
		return bfloat.unpack(binary.LittleEndian.Uint16(v.Bytes[2*i:]))
	}
	return float64(v.Int(i))
}

// SetFloat stores a value rounded to the element type, to nearest, ties to even.
func (v Values) SetFloat(i int, f float64) {
	switch v.DType {
	case tasks.Float64:
		binary.LittleEndian.PutUint64(v.Bytes[8*i:], math.Float64bits(f))
	case tasks.Float32:
		binary.LittleEndian.PutUint32(v.Bytes[4*i:], math.Float32bits(float32(f)))
	case tasks.Float16:
		binary.LittleEndian.PutUint16(v.Bytes[2*i:], half.pack(f))
	case tasks.BFloat16:
		binary.LittleEndian.PutUint16(v.Bytes[2*i:], bfloat.pack(f))
	default:
		v.SetInt(i, int64(math.RoundToEven(f)))
	}
}

// Int is the value of one element of an integer tensor.
func (v Values) Int(i int) int64 {
	if v.DType == tasks.Int64 {
		return int64(binary.LittleEndian.Uint64(v.Bytes[8*i:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(v.Bytes[4*i:])))
}

// SetInt stores one element of an integer tensor.
func (v Values) SetInt(i int, n int64) {
	if v.DType == tasks.Int64 {
		binary.LittleEndian.PutUint64(v.Bytes[8*i:], uint64(n))
		return
	}
	binary.LittleEndian.PutUint32(v.Bytes[4*i:], uint32(int32(n)))
}

// Index is the coordinates of element i.
func (v Values) Index(i int) []int64 {
	at := make([]int64, len(v.Shape))
	rest := int64(i)
	for axis := len(v.Shape) - 1; axis >= 0; axis-- {
		at[axis] = rest % v.Shape[axis]
		rest /= v.Shape[axis]
	}
	return at
}

// filled reports whether every byte of element i still is the filler.
func (v Values) filled(i int, filler byte) bool {
	width := int(v.DType.Bytes())
	for _, b := range v.Bytes[i*width : (i+1)*width] {
		if b != filler {
			return false
		}
	}
	return true
}

// format is a 16-bit floating-point format.
type format struct {
	mantissa int // bits stored of it
	bias     int
}

var (
	half   = format{mantissa: 10, bias: 15}
	bfloat = format{mantissa: 7, bias: 127}
)

// pack rounds once, from double, so that no double rounding can occur.
func (f format) pack(value float64) uint16 {
	infinity := (2*f.bias + 1) << f.mantissa
	var sign uint16
	if math.Signbit(value) {
		sign = 1 << 15
	}
	switch {
	case value == 0:
		return sign
	case math.IsNaN(value):
		return sign | uint16(infinity|1<<(f.mantissa-1))
	case math.IsInf(value, 0):
		return sign | uint16(infinity)
	}
	value = math.Abs(value)
	_, exponent := math.Frexp(value)
	exponent = max(exponent-1, 1-f.bias) // below it lie the subnormal numbers
	steps := int(math.RoundToEven(math.Ldexp(value, f.mantissa-exponent)))
	// The leading bit of a normal number adds 1 to the exponent field, as does a carry.
	bits := (exponent+f.bias-1)<<f.mantissa + steps
	return sign | uint16(min(bits, infinity))
}

func (f format) unpack(bits uint16) float64 {
	exponent := int(bits>>f.mantissa) & (2*f.bias + 1)
	steps := int(bits) & (1<<f.mantissa - 1)
	value := 0.0
	switch {
	case exponent == 2*f.bias+1 && steps != 0:
		return math.NaN()
	case exponent == 2*f.bias+1:
		value = math.Inf(1)
	case exponent == 0:
		value = math.Ldexp(float64(steps), 1-f.bias-f.mantissa)
	default:
		value = math.Ldexp(float64(steps|1<<f.mantissa), exponent-f.bias-f.mantissa)
	}
	if bits>>15 == 1 {
		return -value
	}
	return value
}
