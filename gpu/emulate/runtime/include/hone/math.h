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

#define HONE_MATH_2(name)                          \
    template <class T>                             \
    HONE_INLINE hone::if_float<T> name(T x, T y) { \
        return __builtin_##name##f(x, y);          \
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

// pow is called with mixed types more than any other function.
HONE_INLINE float pow(float x, int y) {
    return __builtin_powf(x, float(y));
}
HONE_INLINE double pow(double x, int y) {
    return __builtin_pow(x, y);
}
HONE_INLINE double pow(int x, int y) {
    return __builtin_pow(x, y);
}
HONE_INLINE double pow(float x, double y) {
    return __builtin_pow(x, y);
}
HONE_INLINE double pow(double x, float y) {
    return __builtin_pow(x, y);
}
HONE_INLINE double pow(int x, float y) {
    return __builtin_pow(x, y);
}
HONE_INLINE double pow(int x, double y) {
    return __builtin_pow(x, y);
}

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

// The fast approximations are the C library's functions under CUDA's names. The
// C library may declare these names too, without defining them.
#define HONE_ALIAS(name, parameters, function) \
    extern "C" float name parameters HONE_C_FUNCTION __asm__(HONE_SYMBOL(function));
HONE_ALIAS(__expf, (float), "expf")
HONE_ALIAS(__logf, (float), "logf")
HONE_ALIAS(__log2f, (float), "log2f")
HONE_ALIAS(__log10f, (float), "log10f")
HONE_ALIAS(__sinf, (float), "sinf")
HONE_ALIAS(__cosf, (float), "cosf")
HONE_ALIAS(__tanf, (float), "tanf")
HONE_ALIAS(__tanhf, (float), "tanhf")
HONE_ALIAS(__powf, (float, float), "powf")
#ifndef __APPLE__
HONE_ALIAS(__exp10f, (float), "exp10f")
extern "C" void __sincosf(float, float*, float*) HONE_C_FUNCTION __asm__("sincosf");
#endif
#undef HONE_ALIAS

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
HONE_FLOAT_1(__saturatef, x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
HONE_FLOAT_1(__frcp_rn, 1.0f / x)
HONE_FLOAT_1(__fsqrt_rn, __builtin_sqrtf(x))
HONE_FLOAT_1(__frsqrt_rn, float(1.0 / __builtin_sqrt(double(x))))
#undef HONE_FLOAT_1
#undef HONE_DOUBLE_1

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
