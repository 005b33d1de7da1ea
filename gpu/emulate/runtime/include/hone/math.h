// Mathematics at global scope, as CUDA has it: C's functions, their overloads
// for float, CUDA's own functions and the fast approximations, which are exact
// functions here.
//
// Overloads are templates, so that "using namespace std" makes no call ambiguous
// and a newer C library may define the same name.
#ifndef HONE_MATH_H
#define HONE_MATH_H

#undef isnan
#undef isinf
#undef isfinite
#undef signbit

namespace hone {
template <class T>
using if_float = typename only_if<same<T, float>, T>::type;
template <class T>
using if_floating = typename only_if<floating<T>, T>::type;
template <class T>
using if_integral = typename only_if<integral<T>, T>::type;
template <class T>
using if_arithmetic = typename only_if<arithmetic<T>, T>::type;
// The result of mixing two arithmetic types of which neither call of C's functions is exact.
template <class A, class B>
using if_float_mix = typename only_if<(same<A, float> || same<B, float>) && arithmetic<A> && arithmetic<B>,
                                      decltype(A() + B())>::type;
}  // namespace hone

#define HONE_MATH_1(name)                     \
    template <class T>                        \
    HONE_INLINE hone::if_float<T> name(T x) { \
        return __builtin_##name##f(x);        \
    }
HONE_MATH_1(acos)
HONE_MATH_1(acosh)
HONE_MATH_1(asin)
HONE_MATH_1(asinh)
HONE_MATH_1(atan)
HONE_MATH_1(atanh)
HONE_MATH_1(cbrt)
HONE_MATH_1(ceil)
HONE_MATH_1(cos)
HONE_MATH_1(cosh)
HONE_MATH_1(erf)
HONE_MATH_1(erfc)
HONE_MATH_1(exp)
HONE_MATH_1(exp2)
HONE_MATH_1(expm1)
HONE_MATH_1(fabs)
HONE_MATH_1(floor)
HONE_MATH_1(lgamma)
HONE_MATH_1(log)
HONE_MATH_1(log10)
HONE_MATH_1(log1p)
HONE_MATH_1(log2)
HONE_MATH_1(logb)
HONE_MATH_1(nearbyint)
HONE_MATH_1(rint)
HONE_MATH_1(round)
HONE_MATH_1(sin)
HONE_MATH_1(sinh)
HONE_MATH_1(sqrt)
HONE_MATH_1(tan)
HONE_MATH_1(tanh)
HONE_MATH_1(tgamma)
HONE_MATH_1(trunc)
#undef HONE_MATH_1

#define HONE_MATH_2(name)                                 \
    template <class A, class B>                           \
    HONE_INLINE hone::if_float_mix<A, B> name(A x, B y) { \
        using R = hone::if_float_mix<A, B>;               \
        if constexpr (hone::same<R, float>)               \
            return __builtin_##name##f(x, y);             \
        else                                              \
            return __builtin_##name(x, y);                \
    }
HONE_MATH_2(atan2)
HONE_MATH_2(copysign)
HONE_MATH_2(fdim)
HONE_MATH_2(fmax)
HONE_MATH_2(fmin)
HONE_MATH_2(fmod)
HONE_MATH_2(hypot)
HONE_MATH_2(nextafter)
HONE_MATH_2(pow)
HONE_MATH_2(remainder)
#undef HONE_MATH_2

template <class T>
HONE_INLINE hone::if_float<T> fma(T x, T y, T z) {
    return __builtin_fmaf(x, y, z);
}
template <class T>
HONE_INLINE hone::if_float<T> ldexp(T x, int exponent) {
    return __builtin_ldexpf(x, exponent);
}
template <class T>
HONE_INLINE hone::if_float<T> scalbn(T x, int exponent) {
    return __builtin_scalbnf(x, exponent);
}
template <class T>
HONE_INLINE hone::if_float<T> frexp(T x, int* exponent) {
    return __builtin_frexpf(x, exponent);
}
template <class T>
HONE_INLINE hone::if_float<T> modf(T x, T* whole) {
    return __builtin_modff(x, whole);
}

// CUDA takes single precision in the functions that end in f, whatever it is given.
#define HONE_FLOAT_1(name, expression)                                                      \
    template <class T>                                                                      \
    HONE_INLINE typename hone::only_if<hone::arithmetic<T>, float>::type name(T argument) { \
        float x = argument;                                                                 \
        return expression;                                                                  \
    }
#define HONE_DOUBLE_1(name, expression)            \
    template <class T>                             \
    HONE_INLINE hone::if_arithmetic<T> name(T x) { \
        return expression;                         \
    }
HONE_FLOAT_1(rsqrtf, 1.0f / __builtin_sqrtf(x))
HONE_DOUBLE_1(rsqrt, T(1) / ::sqrt(x))
HONE_FLOAT_1(rcbrtf, 1.0f / __builtin_cbrtf(x))
HONE_DOUBLE_1(rcbrt, T(1) / ::cbrt(x))
HONE_FLOAT_1(sinpif, float(__builtin_sin(double(x) * 3.14159265358979323846)))
HONE_FLOAT_1(cospif, float(__builtin_cos(double(x) * 3.14159265358979323846)))
HONE_FLOAT_1(normcdff, 0.5f * __builtin_erfcf(x * -0.707106781186547524f))
HONE_DOUBLE_1(normcdf, T(0.5 * __builtin_erfc(x * -0.707106781186547524)))
HONE_FLOAT_1(erfcxf, float(__builtin_exp(double(x) * x) * __builtin_erfc(double(x))))
HONE_FLOAT_1(__expf, __builtin_expf(x))
HONE_FLOAT_1(__exp10f, __builtin_powf(10.0f, x))
HONE_FLOAT_1(__logf, __builtin_logf(x))
HONE_FLOAT_1(__log2f, __builtin_log2f(x))
HONE_FLOAT_1(__log10f, __builtin_log10f(x))
HONE_FLOAT_1(__sinf, __builtin_sinf(x))
HONE_FLOAT_1(__cosf, __builtin_cosf(x))
HONE_FLOAT_1(__tanf, __builtin_tanf(x))
HONE_FLOAT_1(__tanhf, __builtin_tanhf(x))
HONE_FLOAT_1(__saturatef, x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
HONE_FLOAT_1(__frcp_rn, 1.0f / x)
HONE_FLOAT_1(__fsqrt_rn, __builtin_sqrtf(x))
HONE_FLOAT_1(__frsqrt_rn, float(1.0 / __builtin_sqrt(double(x))))
#undef HONE_FLOAT_1
#undef HONE_DOUBLE_1

HONE_INLINE float __powf(float x, float y) {
    return __builtin_powf(x, y);
}
HONE_INLINE float __fdividef(float x, float y) {
    return x / y;
}
HONE_INLINE float fdividef(float x, float y) {
    return x / y;
}
HONE_INLINE float __fadd_rn(float x, float y) {
    return x + y;
}
HONE_INLINE float __fsub_rn(float x, float y) {
    return x - y;
}
HONE_INLINE float __fmul_rn(float x, float y) {
    return x * y;
}
HONE_INLINE float __fdiv_rn(float x, float y) {
    return x / y;
}
HONE_INLINE float __fmaf_rn(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
HONE_INLINE float __fmaf_ieee_rn(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
HONE_INLINE double __dadd_rn(double x, double y) {
    return x + y;
}
HONE_INLINE double __dsub_rn(double x, double y) {
    return x - y;
}
HONE_INLINE double __dmul_rn(double x, double y) {
    return x * y;
}
HONE_INLINE double __ddiv_rn(double x, double y) {
    return x / y;
}
HONE_INLINE double __drcp_rn(double x) {
    return 1.0 / x;
}
HONE_INLINE double __dsqrt_rn(double x) {
    return __builtin_sqrt(x);
}
HONE_INLINE double __fma_rn(double x, double y, double z) {
    return __builtin_fma(x, y, z);
}
HONE_INLINE void __sincosf(float x, float* sine, float* cosine) {
    *sine = __builtin_sinf(x);
    *cosine = __builtin_cosf(x);
}
HONE_INLINE void sincospif(float x, float* sine, float* cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
HONE_INLINE float norm3df(float x, float y, float z) {
    return __builtin_sqrtf(x * x + y * y + z * z);
}
HONE_INLINE float rnorm3df(float x, float y, float z) {
    return 1.0f / norm3df(x, y, z);
}
HONE_INLINE float rhypotf(float x, float y) {
    return 1.0f / __builtin_hypotf(x, y);
}

template <class T>
HONE_INLINE typename hone::only_if<hone::arithmetic<T>, bool>::type isnan(T x) {
    return __builtin_isnan(double(x));
}
template <class T>
HONE_INLINE typename hone::only_if<hone::arithmetic<T>, bool>::type isinf(T x) {
    return __builtin_isinf(double(x));
}
template <class T>
HONE_INLINE typename hone::only_if<hone::arithmetic<T>, bool>::type isfinite(T x) {
    return __builtin_isfinite(double(x));
}
template <class T>
HONE_INLINE typename hone::only_if<hone::arithmetic<T>, bool>::type signbit(T x) {
    return __builtin_signbit(double(x));
}

// abs, min and max for every arithmetic type; mixed types meet as in an expression.
template <class T>
HONE_INLINE hone::if_floating<T> abs(T x) {
    return hone::same<T, float> ? T(__builtin_fabsf(x)) : T(__builtin_fabs(x));
}
template <class T>
HONE_INLINE typename hone::only_if<hone::same<T, long> || hone::same<T, long long>, T>::type abs(T x) {
    return x < 0 ? -x : x;
}

namespace hone {
template <class A, class B>
using if_mix = typename only_if<arithmetic<A> && arithmetic<B>, decltype(A() + B())>::type;
}  // namespace hone

template <class A, class B>
HONE_INLINE constexpr hone::if_mix<A, B> min(A a, B b) {
    using R = hone::if_mix<A, B>;
    if constexpr (hone::same<R, float>)
        return __builtin_fminf(R(a), R(b));
    else if constexpr (hone::same<R, double>)
        return __builtin_fmin(R(a), R(b));
    else
        return R(b) < R(a) ? R(b) : R(a);
}
template <class A, class B>
HONE_INLINE constexpr hone::if_mix<A, B> max(A a, B b) {
    using R = hone::if_mix<A, B>;
    if constexpr (hone::same<R, float>)
        return __builtin_fmaxf(R(a), R(b));
    else if constexpr (hone::same<R, double>)
        return __builtin_fmax(R(a), R(b));
    else
        return R(a) < R(b) ? R(b) : R(a);
}
HONE_INLINE unsigned umin(unsigned a, unsigned b) {
    return b < a ? b : a;
}
HONE_INLINE unsigned umax(unsigned a, unsigned b) {
    return a < b ? b : a;
}
HONE_INLINE long long llmin(long long a, long long b) {
    return b < a ? b : a;
}
HONE_INLINE long long llmax(long long a, long long b) {
    return a < b ? b : a;
}

#endif
