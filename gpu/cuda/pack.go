package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
)

// maxArguments is the size in bytes that every device takes. Newer ones take more.
const maxArguments = 4096

// Struct is a kernel argument passed by value that is no plain number.
type Struct struct {
	Bytes []byte // as the device's compiler lays it out
	Align int    // in bytes, a power of two
}

// pack lays arguments out one after the other, each aligned as the device's
// compiler does it.
func pack(args []any) ([]byte, error) {
	var buffer []byte
	for i, arg := range args {
		bytes, align, err := encode(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		for len(buffer)%align != 0 {
			buffer = append(buffer, 0)
		}
		buffer = append(buffer, bytes...)
	}
	if len(buffer) > maxArguments {
		return nil, fmt.Errorf("%d bytes of arguments: a kernel takes %d", len(buffer), maxArguments)
	}
	return buffer, nil
}

// encode is an argument's bytes and their alignment. Go's int is refused: it
// would fit an int64_t alone, and kernels say int.
func encode(arg any) (bytes []byte, align int, err error) {
	var b [8]byte
	order := binary.LittleEndian // of every host with an NVIDIA driver, and of the devices
	switch v := arg.(type) {
	case Pointer:
		order.PutUint64(b[:], uint64(v))
		return b[:8], 8, nil
	case int64:
		order.PutUint64(b[:], uint64(v))
		return b[:8], 8, nil
	case uint64:
		order.PutUint64(b[:], v)
		return b[:8], 8, nil
	case float64:
		order.PutUint64(b[:], math.Float64bits(v))
		return b[:8], 8, nil
	case int32:
		order.PutUint32(b[:], uint32(v))
		return b[:4], 4, nil
	case uint32:
		order.PutUint32(b[:], v)
		return b[:4], 4, nil
	case float32:
		order.PutUint32(b[:], math.Float32bits(v))
		return b[:4], 4, nil
	default:
		return encodeSmall(arg)
	}
}

func encodeSmall(arg any) (bytes []byte, align int, err error) {
	switch v := arg.(type) {
	case int16:
		return []byte{byte(v), byte(v >> 8)}, 2, nil
	case uint16: // also the bits of a half or a bfloat16
		return []byte{byte(v), byte(v >> 8)}, 2, nil
	case int8:
		return []byte{byte(v)}, 1, nil
	case uint8:
		return []byte{v}, 1, nil
	case bool:
		if v {
			return []byte{1}, 1, nil
		}
		return []byte{0}, 1, nil
	case Struct:
		if v.Align <= 0 || v.Align&(v.Align-1) != 0 {
			return nil, 0, fmt.Errorf("a struct's alignment of %d is no power of two", v.Align)
		}
		return v.Bytes, v.Align, nil
	default:
		return nil, 0, fmt.Errorf("a kernel takes no %T: use a type of fixed size", arg)
	}
}
