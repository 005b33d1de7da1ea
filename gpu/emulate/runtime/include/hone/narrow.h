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

#endif
