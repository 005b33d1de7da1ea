// half and bfloat16: one template for both, since they differ only in how many
// bits the exponent has. Each operation computes in float, or double for a fused
// multiply-add, and rounds once to nearest even, which gives the correctly
// rounded result. Operations are friends, found by their arguments.
#ifndef HONE_NARROW_H
#define HONE_NARROW_H

namespace hone {

// Narrow is a 16-bit floating-point number.
template <int exponent_bits>
struct Narrow;
// NarrowPair is two of them side by side.
template <int exponent_bits>
struct NarrowPair;

// narrow_bits rounds to nearest even; every NaN becomes CUDA's own.
template <int exponent_bits>
HONE_INLINE constexpr unsigned short narrow_bits_of(unsigned bits);

template <>
HONE_INLINE constexpr unsigned short narrow_bits_of<8>(unsigned bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <>
HONE_INLINE constexpr unsigned short narrow_bits_of<5>(unsigned bits) {
    unsigned sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return 0x7fff;
    if (bits >= 0x47800000) return (unsigned short)(sign | 0x7c00);
    if (bits >= 0x38800000) {  // normal: rebias the exponent, round the mantissa
        bits -= 112u << 23;
        return (unsigned short)(sign | (bits + 0xfff + (bits >> 13 & 1)) >> 13);
    }
    if (bits < 0x33000000) return (unsigned short)sign;  // at most half of the smallest
    unsigned mantissa = (bits & 0x7fffff) | 0x800000;
    unsigned shift = 126 - (bits >> 23);
    unsigned half = 1u << (shift - 1);
    return (unsigned short)(sign | (mantissa + half - 1 + (mantissa >> shift & 1)) >> shift);
}

template <int exponent_bits>
HONE_INLINE float widen(unsigned short bits) {
    if constexpr (exponent_bits == 8) return bit_cast<float>(unsigned(bits) << 16);
    unsigned magnitude = unsigned(bits & 0x7fff) << 13;
    unsigned wide = bit_cast<unsigned>(bit_cast<float>(magnitude) * 0x1p112f);
    if (magnitude >= 0x0f800000) wide |= 0x7f800000;
    return bit_cast<float>(wide | unsigned(bits & 0x8000) << 16);
}

// narrow_double rounds once: by way of a float rounded to odd, which keeps what rounding needs to know.
template <int exponent_bits>
HONE_INLINE unsigned short narrow_double(double x) {
    float near = float(x);
    unsigned bits = bit_cast<unsigned>(near);
    if (double(near) != x && near - near == 0) {
        bool away = __builtin_fabs(double(near)) > __builtin_fabs(x);
        bits = (bits - away) | 1;
    } else if (double(near) != x && near == near && __builtin_isfinite(x)) {
        bits -= 1;  // overflowed by rounding: the largest float, which is odd
    }
    return narrow_bits_of<exponent_bits>(bits);
}

template <int exponent_bits>
struct Narrow {
    unsigned short __x;

    Narrow() = default;
    HONE_INLINE Narrow(float x) : __x(narrow_bits_of<exponent_bits>(bit_cast<unsigned>(x))) {}
    HONE_INLINE Narrow(double x) : __x(narrow_double<exponent_bits>(x)) {}
    HONE_INLINE Narrow(int x) : Narrow(double(x)) {}
    HONE_INLINE Narrow(unsigned x) : Narrow(double(x)) {}
    HONE_INLINE Narrow(short x) : Narrow(float(x)) {}
    HONE_INLINE Narrow(unsigned short x) : Narrow(float(x)) {}
    HONE_INLINE Narrow(long x) : Narrow(double(x)) {}
    HONE_INLINE Narrow(unsigned long x) : Narrow(double(x)) {}
    HONE_INLINE Narrow(long long x) : Narrow(double(x)) {}
    HONE_INLINE Narrow(unsigned long long x) : Narrow(double(x)) {}
    template <int other>
    HONE_INLINE explicit Narrow(Narrow<other> x) : Narrow(float(x)) {}
    HONE_INLINE operator float() const { return widen<exponent_bits>(__x); }

    HONE_INLINE static Narrow of_bits(unsigned bits) {
        Narrow n;
        n.__x = (unsigned short)bits;
        return n;
    }

    HONE_INLINE Narrow& operator+=(Narrow b) { return *this = *this + b; }
    HONE_INLINE Narrow& operator-=(Narrow b) { return *this = *this - b; }
    HONE_INLINE Narrow& operator*=(Narrow b) { return *this = *this * b; }
    HONE_INLINE Narrow& operator/=(Narrow b) { return *this = *this / b; }
    HONE_INLINE Narrow& operator++() { return *this += Narrow(1.0f); }
    HONE_INLINE Narrow& operator--() { return *this -= Narrow(1.0f); }
    HONE_INLINE Narrow operator++(int) {
        Narrow old = *this;
        ++*this;
        return old;
    }
    HONE_INLINE Narrow operator--(int) {
        Narrow old = *this;
        --*this;
        return old;
    }

    friend HONE_INLINE Narrow operator+(Narrow a) { return a; }
    friend HONE_INLINE Narrow operator-(Narrow a) { return of_bits(a.__x ^ 0x8000u); }
    friend HONE_INLINE Narrow operator+(Narrow a, Narrow b) { return Narrow(float(a) + float(b)); }
    friend HONE_INLINE Narrow operator-(Narrow a, Narrow b) { return Narrow(float(a) - float(b)); }
    friend HONE_INLINE Narrow operator*(Narrow a, Narrow b) { return Narrow(float(a) * float(b)); }
    friend HONE_INLINE Narrow operator/(Narrow a, Narrow b) { return Narrow(float(a) / float(b)); }
    friend HONE_INLINE bool operator==(Narrow a, Narrow b) { return float(a) == float(b); }
    friend HONE_INLINE bool operator!=(Narrow a, Narrow b) { return float(a) != float(b); }
    friend HONE_INLINE bool operator<(Narrow a, Narrow b) { return float(a) < float(b); }
    friend HONE_INLINE bool operator<=(Narrow a, Narrow b) { return float(a) <= float(b); }
    friend HONE_INLINE bool operator>(Narrow a, Narrow b) { return float(a) > float(b); }
    friend HONE_INLINE bool operator>=(Narrow a, Narrow b) { return float(a) >= float(b); }

#define HONE_NARROW_2(name, type, expression)          \
    friend HONE_INLINE type name(Narrow a, Narrow b) { \
        return expression;                             \
    }
    HONE_NARROW_2(__hadd, Narrow, a + b)
    HONE_NARROW_2(__hsub, Narrow, a - b)
    HONE_NARROW_2(__hmul, Narrow, a* b)
    HONE_NARROW_2(__hdiv, Narrow, a / b)
    HONE_NARROW_2(__hadd_rn, Narrow, a + b)
    HONE_NARROW_2(__hsub_rn, Narrow, a - b)
    HONE_NARROW_2(__hmul_rn, Narrow, a* b)
    HONE_NARROW_2(__hadd_sat, Narrow, saturate(a + b))
    HONE_NARROW_2(__hsub_sat, Narrow, saturate(a - b))
    HONE_NARROW_2(__hmul_sat, Narrow, saturate(a* b))
    HONE_NARROW_2(__hmax, Narrow, Narrow(__builtin_fmaxf(a, b)))
    HONE_NARROW_2(__hmin, Narrow, Narrow(__builtin_fminf(a, b)))
    HONE_NARROW_2(__hmax_nan, Narrow, a != a || b != b ? of_bits(0x7fff) : __hmax(a, b))
    HONE_NARROW_2(__hmin_nan, Narrow, a != a || b != b ? of_bits(0x7fff) : __hmin(a, b))
    HONE_NARROW_2(__heq, bool, a == b)
    HONE_NARROW_2(__hne, bool, a<b || a> b)
    HONE_NARROW_2(__hlt, bool, a < b)
    HONE_NARROW_2(__hle, bool, a <= b)
    HONE_NARROW_2(__hgt, bool, a > b)
    HONE_NARROW_2(__hge, bool, a >= b)
    HONE_NARROW_2(__hequ, bool, !(a < b || a > b))
    HONE_NARROW_2(__hneu, bool, a != b)
    HONE_NARROW_2(__hltu, bool, !(a >= b))
    HONE_NARROW_2(__hleu, bool, !(a > b))
    HONE_NARROW_2(__hgtu, bool, !(a <= b))
    HONE_NARROW_2(__hgeu, bool, !(a < b))
#undef HONE_NARROW_2

#define HONE_NARROW_1(name, expression)        \
    friend HONE_INLINE Narrow name(Narrow a) { \
        return Narrow(expression);             \
    }
    HONE_NARROW_1(__hneg, -a)
    HONE_NARROW_1(__habs, of_bits(a.__x & 0x7fffu))
    HONE_NARROW_1(hceil, __builtin_ceilf(a))
    HONE_NARROW_1(hfloor, __builtin_floorf(a))
    HONE_NARROW_1(htrunc, __builtin_truncf(a))
    HONE_NARROW_1(hrint, __builtin_rintf(a))
    HONE_NARROW_1(hsqrt, __builtin_sqrtf(a))
    HONE_NARROW_1(hrsqrt, 1.0 / __builtin_sqrt(double(float(a))))
    HONE_NARROW_1(hrcp, 1.0f / float(a))
    HONE_NARROW_1(hexp, __builtin_exp(double(float(a))))
    HONE_NARROW_1(hexp2, __builtin_exp2(double(float(a))))
    HONE_NARROW_1(hexp10, __builtin_pow(10.0, double(float(a))))
    HONE_NARROW_1(hlog, __builtin_log(double(float(a))))
    HONE_NARROW_1(hlog2, __builtin_log2(double(float(a))))
    HONE_NARROW_1(hlog10, __builtin_log10(double(float(a))))
    HONE_NARROW_1(hsin, __builtin_sin(double(float(a))))
    HONE_NARROW_1(hcos, __builtin_cos(double(float(a))))
    HONE_NARROW_1(htanh, __builtin_tanh(double(float(a))))
    HONE_NARROW_1(htanh_approx, __builtin_tanh(double(float(a))))
#undef HONE_NARROW_1

    friend HONE_INLINE bool __hisnan(Narrow a) { return a != a; }
    friend HONE_INLINE int __hisinf(Narrow a) {
        return (a.__x & 0x7fff) == of_bits_infinity ? (a.__x & 0x8000 ? -1 : 1) : 0;
    }
    friend HONE_INLINE Narrow __hfma(Narrow a, Narrow b, Narrow c) {
        return Narrow(double(float(a)) * double(float(b)) + double(float(c)));
    }
    friend HONE_INLINE Narrow __hfma_sat(Narrow a, Narrow b, Narrow c) { return saturate(__hfma(a, b, c)); }
    friend HONE_INLINE Narrow __hfma_relu(Narrow a, Narrow b, Narrow c) {
        Narrow r = __hfma(a, b, c);
        return r < of_bits(0) ? of_bits(0) : r;
    }

  private:
    static constexpr unsigned of_bits_infinity = exponent_bits == 5 ? 0x7c00 : 0x7f80;
    HONE_INLINE static Narrow saturate(Narrow a) { return Narrow(__saturatef(float(a))); }
};

template <int exponent_bits>
struct alignas(4) NarrowPair {
    using N = Narrow<exponent_bits>;
    N x, y;

    NarrowPair() = default;
    HONE_INLINE NarrowPair(N x, N y) : x(x), y(y) {}

    HONE_INLINE NarrowPair& operator+=(NarrowPair b) { return *this = *this + b; }
    HONE_INLINE NarrowPair& operator-=(NarrowPair b) { return *this = *this - b; }
    HONE_INLINE NarrowPair& operator*=(NarrowPair b) { return *this = *this * b; }
    HONE_INLINE NarrowPair& operator/=(NarrowPair b) { return *this = *this / b; }
    friend HONE_INLINE NarrowPair operator-(NarrowPair a) { return {-a.x, -a.y}; }
    friend HONE_INLINE NarrowPair operator+(NarrowPair a, NarrowPair b) { return {a.x + b.x, a.y + b.y}; }
    friend HONE_INLINE NarrowPair operator-(NarrowPair a, NarrowPair b) { return {a.x - b.x, a.y - b.y}; }
    friend HONE_INLINE NarrowPair operator*(NarrowPair a, NarrowPair b) { return {a.x * b.x, a.y * b.y}; }
    friend HONE_INLINE NarrowPair operator/(NarrowPair a, NarrowPair b) { return {a.x / b.x, a.y / b.y}; }
    friend HONE_INLINE bool operator==(NarrowPair a, NarrowPair b) { return a.x == b.x && a.y == b.y; }
    friend HONE_INLINE bool operator!=(NarrowPair a, NarrowPair b) { return a.x != b.x || a.y != b.y; }

#define HONE_PAIR_2(name, single)                                    \
    friend HONE_INLINE NarrowPair name(NarrowPair a, NarrowPair b) { \
        return {N(single(a.x, b.x)), N(single(a.y, b.y))};           \
    }
    HONE_PAIR_2(__hadd2, __hadd)
    HONE_PAIR_2(__hsub2, __hsub)
    HONE_PAIR_2(__hmul2, __hmul)
    HONE_PAIR_2(__h2div, __hdiv)
    HONE_PAIR_2(__hadd2_rn, __hadd)
    HONE_PAIR_2(__hsub2_rn, __hsub)
    HONE_PAIR_2(__hmul2_rn, __hmul)
    HONE_PAIR_2(__hadd2_sat, __hadd_sat)
    HONE_PAIR_2(__hsub2_sat, __hsub_sat)
    HONE_PAIR_2(__hmul2_sat, __hmul_sat)
    HONE_PAIR_2(__hmax2, __hmax)
    HONE_PAIR_2(__hmin2, __hmin)
    HONE_PAIR_2(__hmax2_nan, __hmax_nan)
    HONE_PAIR_2(__hmin2_nan, __hmin_nan)
    HONE_PAIR_2(__heq2, __heq)
    HONE_PAIR_2(__hne2, __hne)
    HONE_PAIR_2(__hlt2, __hlt)
    HONE_PAIR_2(__hle2, __hle)
    HONE_PAIR_2(__hgt2, __hgt)
    HONE_PAIR_2(__hge2, __hge)
#undef HONE_PAIR_2

#define HONE_PAIR_TEST(name, single)                           \
    friend HONE_INLINE bool name(NarrowPair a, NarrowPair b) { \
        return single(a.x, b.x) && single(a.y, b.y);           \
    }
    HONE_PAIR_TEST(__hbeq2, __heq)
    HONE_PAIR_TEST(__hbne2, __hne)
    HONE_PAIR_TEST(__hblt2, __hlt)
    HONE_PAIR_TEST(__hble2, __hle)
    HONE_PAIR_TEST(__hbgt2, __hgt)
    HONE_PAIR_TEST(__hbge2, __hge)
#undef HONE_PAIR_TEST

#define HONE_PAIR_1(name, single)                      \
    friend HONE_INLINE NarrowPair name(NarrowPair a) { \
        return {single(a.x), single(a.y)};             \
    }
    HONE_PAIR_1(__hneg2, __hneg)
    HONE_PAIR_1(__habs2, __habs)
    HONE_PAIR_1(h2ceil, hceil)
    HONE_PAIR_1(h2floor, hfloor)
    HONE_PAIR_1(h2trunc, htrunc)
    HONE_PAIR_1(h2rint, hrint)
    HONE_PAIR_1(h2sqrt, hsqrt)
    HONE_PAIR_1(h2rsqrt, hrsqrt)
    HONE_PAIR_1(h2rcp, hrcp)
    HONE_PAIR_1(h2exp, hexp)
    HONE_PAIR_1(h2exp2, hexp2)
    HONE_PAIR_1(h2exp10, hexp10)
    HONE_PAIR_1(h2log, hlog)
    HONE_PAIR_1(h2log2, hlog2)
    HONE_PAIR_1(h2log10, hlog10)
    HONE_PAIR_1(h2sin, hsin)
    HONE_PAIR_1(h2cos, hcos)
    HONE_PAIR_1(h2tanh, htanh)
#undef HONE_PAIR_1

    friend HONE_INLINE NarrowPair __hfma2(NarrowPair a, NarrowPair b, NarrowPair c) {
        return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
    }
    friend HONE_INLINE NarrowPair __hfma2_sat(NarrowPair a, NarrowPair b, NarrowPair c) {
        return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
    }
    friend HONE_INLINE NarrowPair __hfma2_relu(NarrowPair a, NarrowPair b, NarrowPair c) {
        return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
    }
    friend HONE_INLINE float __low2float(NarrowPair a) { return a.x; }
    friend HONE_INLINE float __high2float(NarrowPair a) { return a.y; }
    friend HONE_INLINE NarrowPair __lowhigh2highlow(NarrowPair a) { return {a.y, a.x}; }
    friend HONE_INLINE NarrowPair __lows2half2(NarrowPair a, NarrowPair b) { return {a.x, b.x}; }
    friend HONE_INLINE NarrowPair __highs2half2(NarrowPair a, NarrowPair b) { return {a.y, b.y}; }
};

// toward rounds to the neighbour of x that lies in the given direction: -1 down, 1 up, 0 towards zero.
template <int exponent_bits>
HONE_INLINE Narrow<exponent_bits> toward(float x, int direction) {
    using N = Narrow<exponent_bits>;
    N near(x);
    if (x != x || float(near) == x) return near;
    bool negative = x < 0;
    bool away = direction == 0 ? false : (direction > 0) != negative;
    bool is_away = __builtin_fabsf(float(near)) > __builtin_fabsf(x);
    if (away == is_away) return near;
    return N::of_bits(near.__x + (away ? 1u : -1u));
}

}  // namespace hone

using __half = hone::Narrow<5>;
using __half2 = hone::NarrowPair<5>;
using half = __half;
using half2 = __half2;
using __nv_bfloat16 = hone::Narrow<8>;
using __nv_bfloat162 = hone::NarrowPair<8>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

// Conversions, which CUDA spells with the name of the type.
#define HONE_NARROW_NAMES(N, N2, exponent_bits, to_narrow, from_narrow, name, name2) \
    HONE_INLINE N to_narrow(float x) {                                               \
        return N(x);                                                                 \
    }                                                                                \
    HONE_INLINE N to_narrow##_rn(float x) {                                          \
        return N(x);                                                                 \
    }                                                                                \
    HONE_INLINE N to_narrow##_rz(float x) {                                          \
        return hone::toward<exponent_bits>(x, 0);                                    \
    }                                                                                \
    HONE_INLINE N to_narrow##_rd(float x) {                                          \
        return hone::toward<exponent_bits>(x, -1);                                   \
    }                                                                                \
    HONE_INLINE N to_narrow##_ru(float x) {                                          \
        return hone::toward<exponent_bits>(x, 1);                                    \
    }                                                                                \
    HONE_INLINE N2 to_narrow##2_rn(float x) {                                        \
        return {N(x), N(x)};                                                         \
    }                                                                                \
    HONE_INLINE float from_narrow(N x) {                                             \
        return x;                                                                    \
    }                                                                                \
    HONE_INLINE N __double2##name(double x) {                                        \
        return N(x);                                                                 \
    }                                                                                \
    HONE_INLINE N2 __floats2##name2##_rn(float x, float y) {                         \
        return {N(x), N(y)};                                                         \
    }                                                                                \
    HONE_INLINE N2 __float22##name2##_rn(float2 v) {                                 \
        return {N(v.x), N(v.y)};                                                     \
    }                                                                                \
    HONE_INLINE float2 __##name2##2float2(N2 v) {                                    \
        return {v.x, v.y};                                                           \
    }                                                                                \
    HONE_INLINE N __low2##name(N2 v) {                                               \
        return v.x;                                                                  \
    }                                                                                \
    HONE_INLINE N __high2##name(N2 v) {                                              \
        return v.y;                                                                  \
    }                                                                                \
    HONE_INLINE N2 __low2##name2(N2 v) {                                             \
        return {v.x, v.x};                                                           \
    }                                                                                \
    HONE_INLINE N2 __high2##name2(N2 v) {                                            \
        return {v.y, v.y};                                                           \
    }                                                                                \
    HONE_INLINE N2 __##name##2##name2(N x) {                                         \
        return {x, x};                                                               \
    }                                                                                \
    HONE_INLINE N2 make_##name2(N x, N y) {                                          \
        return {x, y};                                                               \
    }                                                                                \
    HONE_INLINE short __##name##_as_short(N x) {                                     \
        return short(x.__x);                                                         \
    }                                                                                \
    HONE_INLINE unsigned short __##name##_as_ushort(N x) {                           \
        return x.__x;                                                                \
    }                                                                                \
    HONE_INLINE N __short_as_##name(short x) {                                       \
        return N::of_bits((unsigned short)x);                                        \
    }                                                                                \
    HONE_INLINE N __ushort_as_##name(unsigned short x) {                             \
        return N::of_bits(x);                                                        \
    }                                                                                \
    HONE_INLINE N __int2##name##_rn(int x) {                                         \
        return N(x);                                                                 \
    }                                                                                \
    HONE_INLINE N __uint2##name##_rn(unsigned x) {                                   \
        return N(x);                                                                 \
    }                                                                                \
    HONE_INLINE N __ll2##name##_rn(long long x) {                                    \
        return N(x);                                                                 \
    }                                                                                \
    HONE_INLINE int __##name##2int_rn(N x) {                                         \
        return __float2int_rn(x);                                                    \
    }                                                                                \
    HONE_INLINE int __##name##2int_rz(N x) {                                         \
        return __float2int_rz(x);                                                    \
    }                                                                                \
    HONE_INLINE int __##name##2int_ru(N x) {                                         \
        return __float2int_ru(x);                                                    \
    }                                                                                \
    HONE_INLINE int __##name##2int_rd(N x) {                                         \
        return __float2int_rd(x);                                                    \
    }                                                                                \
    HONE_INLINE unsigned __##name##2uint_rn(N x) {                                   \
        return __float2uint_rn(x);                                                   \
    }                                                                                \
    HONE_INLINE unsigned __##name##2uint_rz(N x) {                                   \
        return __float2uint_rz(x);                                                   \
    }                                                                                \
    HONE_INLINE N __ldg(const N* address) {                                          \
        return *address;                                                             \
    }
HONE_NARROW_NAMES(__half, __half2, 5, __float2half, __half2float, half, half2)
HONE_NARROW_NAMES(__nv_bfloat16, __nv_bfloat162, 8, __float2bfloat16, __bfloat162float, bfloat16, bfloat162)
#undef HONE_NARROW_NAMES

HONE_INLINE __half2 __halves2half2(__half x, __half y) {
    return {x, y};
}
HONE_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
    return {x, y};
}

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

#endif
