// Integer intrinsics, and conversions between number types.
#ifndef HONE_BITS_H
#define HONE_BITS_H

HONE_INLINE int __popc(unsigned x) {
    return __builtin_popcount(x);
}
HONE_INLINE int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
HONE_INLINE int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz(unsigned(x));
}
HONE_INLINE int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)(x));
}
HONE_INLINE int __ffs(int x) {
    return __builtin_ffs(x);
}
HONE_INLINE int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
HONE_INLINE unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
HONE_INLINE unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)(__brev(unsigned(x))) << 32 | __brev(unsigned(x >> 32));
}
HONE_INLINE int __mulhi(int a, int b) {
    return int((long long)(a)*b >> 32);
}
HONE_INLINE unsigned __umulhi(unsigned a, unsigned b) {
    return unsigned((unsigned long long)(a)*b >> 32);
}
HONE_INLINE long long __mul64hi(long long a, long long b) {
    return (long long)(__extension__(__int128)(a) * b >> 64);
}
HONE_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(__extension__(unsigned __int128)(a) * b >> 64);
}
HONE_INLINE int __mul24(int a, int b) {
    return int(unsigned(a << 8 >> 8) * unsigned(b << 8 >> 8));
}
HONE_INLINE unsigned __umul24(unsigned a, unsigned b) {
    return (a & 0xffffff) * (b & 0xffffff);
}
HONE_INLINE int __hadd(int a, int b) {
    return int(((long long)(a) + b) >> 1);
}
HONE_INLINE int __rhadd(int a, int b) {
    return int(((long long)(a) + b + 1) >> 1);
}
HONE_INLINE unsigned __uhadd(unsigned a, unsigned b) {
    return unsigned(((unsigned long long)(a) + b) >> 1);
}
HONE_INLINE unsigned __sad(int a, int b, unsigned c) {
    return c + (a < b ? unsigned(b) - a : unsigned(a) - b);
}
HONE_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return c + (a < b ? b - a : a - b);
}
HONE_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    shift &= 31;
    return shift == 0 ? high : high << shift | low >> (32 - shift);
}
HONE_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    shift &= 31;
    return shift == 0 ? low : low >> shift | high << (32 - shift);
}
HONE_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned long long bytes = (unsigned long long)(b) << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned pick = selector >> (4 * i) & 15;
        unsigned byte = unsigned(bytes >> (8 * (pick & 7))) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}
HONE_INLINE int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += int((signed char)(a >> i)) * (signed char)(b >> i);
    return c;
}
HONE_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}

HONE_INLINE int __float_as_int(float x) {
    return hone::bit_cast<int>(x);
}
HONE_INLINE unsigned __float_as_uint(float x) {
    return hone::bit_cast<unsigned>(x);
}
HONE_INLINE float __int_as_float(int x) {
    return hone::bit_cast<float>(x);
}
HONE_INLINE float __uint_as_float(unsigned x) {
    return hone::bit_cast<float>(x);
}
HONE_INLINE long long __double_as_longlong(double x) {
    return hone::bit_cast<long long>(x);
}
HONE_INLINE double __longlong_as_double(long long x) {
    return hone::bit_cast<double>(x);
}
HONE_INLINE int __double2hiint(double x) {
    return int(hone::bit_cast<long long>(x) >> 32);
}
HONE_INLINE int __double2loint(double x) {
    return int(hone::bit_cast<long long>(x));
}
HONE_INLINE double __hiloint2double(int high, int low) {
    return hone::bit_cast<double>((unsigned long long)(unsigned(high)) << 32 | unsigned(low));
}

namespace hone {
// to_integer converts as CUDA does: values out of range saturate and NaN is 0.
template <class To>
HONE_INLINE To to_integer(double x) {
    constexpr bool is_signed = To(-1) < To(0);
    constexpr To highest = is_signed ? To((1ull << (sizeof(To) * 8 - 1)) - 1) : To(-1);
    constexpr To lowest = is_signed ? To(-highest - 1) : To(0);
    if (x != x) return 0;
    if (x >= double(highest)) return highest;
    if (x <= double(lowest)) return lowest;
    return To(x);
}
}  // namespace hone

#define HONE_TO_INTEGER(from, name, to)                  \
    HONE_INLINE to name##_rn(from x) {                   \
        return hone::to_integer<to>(__builtin_rint(x));  \
    }                                                    \
    HONE_INLINE to name##_rz(from x) {                   \
        return hone::to_integer<to>(__builtin_trunc(x)); \
    }                                                    \
    HONE_INLINE to name##_ru(from x) {                   \
        return hone::to_integer<to>(__builtin_ceil(x));  \
    }                                                    \
    HONE_INLINE to name##_rd(from x) {                   \
        return hone::to_integer<to>(__builtin_floor(x)); \
    }
HONE_TO_INTEGER(float, __float2int, int)
HONE_TO_INTEGER(float, __float2uint, unsigned)
HONE_TO_INTEGER(float, __float2ll, long long)
HONE_TO_INTEGER(float, __float2ull, unsigned long long)
HONE_TO_INTEGER(double, __double2int, int)
HONE_TO_INTEGER(double, __double2uint, unsigned)
HONE_TO_INTEGER(double, __double2ll, long long)
HONE_TO_INTEGER(double, __double2ull, unsigned long long)
#undef HONE_TO_INTEGER

HONE_INLINE float __int2float_rn(int x) {
    return float(x);
}
HONE_INLINE float __uint2float_rn(unsigned x) {
    return float(x);
}
HONE_INLINE float __ll2float_rn(long long x) {
    return float(x);
}
HONE_INLINE float __ull2float_rn(unsigned long long x) {
    return float(x);
}
HONE_INLINE float __double2float_rn(double x) {
    return float(x);
}
HONE_INLINE double __int2double_rn(int x) {
    return double(x);
}
HONE_INLINE double __uint2double_rn(unsigned x) {
    return double(x);
}
HONE_INLINE double __ll2double_rn(long long x) {
    return double(x);
}

#endif
