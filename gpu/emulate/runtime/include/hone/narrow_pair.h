// Pairs of half or bfloat16, and the names CUDA has for all four types.
#ifndef HONE_NARROW_PAIR_H
#define HONE_NARROW_PAIR_H

#include "narrow.h"

namespace hone {

// NarrowPair is two narrow numbers side by side.
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
