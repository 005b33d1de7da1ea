// 16-bit floats on the host: the bits as on the device, arithmetic through float,
// and conversions rounded to nearest even. Smaller floats are bits alone.
#ifndef HONE_NARROW_H
#define HONE_NARROW_H

namespace hone {

inline unsigned bits_of(float value) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float of_bits(unsigned bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// shifted drops the low bits of a pattern, rounded to nearest even.
inline unsigned shifted(unsigned pattern, unsigned drop) {
    if (drop > 31) return 0;
    unsigned kept = pattern >> drop, rest = pattern & ((1u << drop) - 1), half = 1u << (drop - 1);
    return kept + (rest > half || (rest == half && (kept & 1)));
}

inline unsigned short half_bits(float value) {
    unsigned bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x47800000) return static_cast<unsigned short>(sign | 0x7c00);
    if (magnitude >= 0x38800000)
        return static_cast<unsigned short>(sign | shifted(magnitude - 0x38000000, 13));
    unsigned mantissa = (magnitude & 0x7fffff) | 0x800000;
    return static_cast<unsigned short>(sign | shifted(mantissa, 126 - (magnitude >> 23)));
}

inline float half_value(unsigned short bits) {
    unsigned sign = unsigned(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00) return of_bits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    float value = magnitude >= 0x400 ? of_bits((magnitude << 13) + 0x38000000) : float(magnitude) * 0x1p-24f;
    return sign ? -value : value;
}

inline unsigned short bfloat16_bits(float value) {
    unsigned bits = bits_of(value);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : static_cast<unsigned short>(shifted(bits, 16));
}

inline float bfloat16_value(unsigned short bits) {
    return of_bits(unsigned(bits) << 16);
}

}  // namespace hone

#define HONE_NARROW(type, pair, name, pair_name, to_bits, to_value)   \
    struct alignas(2) type {                                          \
        unsigned short __x;                                           \
        type() = default;                                             \
        template <class N, class = decltype(static_cast<float>(N()))> \
        type(N value) : __x(to_bits(static_cast<float>(value))) {}    \
        operator float() const { return to_value(__x); }              \
    };                                                                \
    struct alignas(4) pair {                                          \
        type x, y;                                                    \
    };                                                                \
    inline type __float2##name(float value) {                         \
        return type(value);                                           \
    }                                                                 \
    inline type __float2##name##_rn(float value) {                    \
        return type(value);                                           \
    }                                                                 \
    inline type __double2##name(double value) {                       \
        return type(value);                                           \
    }                                                                 \
    inline float __##name##2float(type value) {                       \
        return value;                                                 \
    }                                                                 \
    inline pair __floats2##pair_name##_rn(float x, float y) {         \
        return {type(x), type(y)};                                    \
    }                                                                 \
    inline pair __float2##pair_name##_rn(float x) {                   \
        return {type(x), type(x)};                                    \
    }                                                                 \
    inline pair make_##pair_name(type x, type y) {                    \
        return {x, y};                                                \
    }                                                                 \
    inline unsigned short __##name##_as_ushort(type value) {          \
        return value.__x;                                             \
    }                                                                 \
    inline type __ushort_as_##name(unsigned short bits) {             \
        type value;                                                   \
        value.__x = bits;                                             \
        return value;                                                 \
    }
HONE_NARROW(__half, __half2, half, half2, hone::half_bits, hone::half_value)
HONE_NARROW(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, hone::bfloat16_bits, hone::bfloat16_value)
#undef HONE_NARROW

typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

struct __nv_fp8_e4m3 {
    unsigned char __x;
};
struct __nv_fp8_e5m2 {
    unsigned char __x;
};

#endif
