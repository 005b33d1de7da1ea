// What CUDA C++ takes from the host's headers, for the device part of a kernel.cu,
// which is compiled without them.
#ifndef HONE_DEVICE_H
#define HONE_DEVICE_H

#ifndef _CUDA_STD_CSTDINT
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef long intptr_t;
#ifndef _CUDA_PIPELINE_HELPERS_H_  // it has its own
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;
#endif
#endif
typedef long ptrdiff_t;

#ifndef INT8_MIN
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807 - 1)
#define INT64_MAX 9223372036854775807
#define UINT64_MAX 18446744073709551615ul
#endif
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#endif

#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define HUGE_VALF INFINITY
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ll)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#endif

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#ifndef offsetof
#define offsetof(type, member) ((size_t)&reinterpret_cast<char const volatile&>(((type*)0)->member))
#endif

namespace std {

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;

template <class T, T v>
struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant;
    constexpr operator T() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T, class U>
struct is_same : false_type {};
template <class T>
struct is_same<T, T> : true_type {};
template <class T, class U>
inline constexpr bool is_same_v = is_same<T, U>::value;

template <bool b, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
    using type = T;
};
template <bool b, class T = void>
using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class U>
struct conditional {
    using type = T;
};
template <class T, class U>
struct conditional<false, T, U> {
    using type = U;
};
template <bool b, class T, class U>
using conditional_t = typename conditional<b, T, U>::type;
template <class...>
using void_t = void;

template <class T>
struct remove_const {
    using type = T;
};
template <class T>
struct remove_const<const T> {
    using type = T;
};
template <class T>
struct remove_volatile {
    using type = T;
};
template <class T>
struct remove_volatile<volatile T> {
    using type = T;
};
template <class T>
struct remove_cv {
    using type = typename remove_const<typename remove_volatile<T>::type>::type;
};
template <class T>
struct remove_reference {
    using type = T;
};
template <class T>
struct remove_reference<T&> {
    using type = T;
};
template <class T>
struct remove_reference<T&&> {
    using type = T;
};
template <class T>
struct remove_pointer {
    using type = T;
};
template <class T>
struct remove_pointer<T*> {
    using type = T;
};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <class T>
struct decay {
    using type = remove_cv_t<remove_reference_t<T>>;
};
template <class T>
using decay_t = typename decay<T>::type;

template <class T>
struct is_floating_point : false_type {};
template <>
struct is_floating_point<float> : true_type {};
template <>
struct is_floating_point<double> : true_type {};
template <class T>
struct is_integral : false_type {};
template <>
struct is_integral<bool> : true_type {};
template <>
struct is_integral<char> : true_type {};
template <>
struct is_integral<signed char> : true_type {};
template <>
struct is_integral<unsigned char> : true_type {};
template <>
struct is_integral<short> : true_type {};
template <>
struct is_integral<unsigned short> : true_type {};
template <>
struct is_integral<int> : true_type {};
template <>
struct is_integral<unsigned> : true_type {};
template <>
struct is_integral<long> : true_type {};
template <>
struct is_integral<unsigned long> : true_type {};
template <>
struct is_integral<long long> : true_type {};
template <>
struct is_integral<unsigned long long> : true_type {};
template <class T>
struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T>
inline constexpr bool is_floating_point_v = is_floating_point<remove_cv_t<T>>::value;
template <class T>
inline constexpr bool is_integral_v = is_integral<remove_cv_t<T>>::value;
template <class T>
inline constexpr bool is_arithmetic_v = is_arithmetic<remove_cv_t<T>>::value;
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);

template <class T>
__device__ constexpr const T& min(const T& a, const T& b) {
    return b < a ? b : a;
}
template <class T>
__device__ constexpr const T& max(const T& a, const T& b) {
    return a < b ? b : a;
}
template <class T>
__device__ constexpr const T& clamp(const T& v, const T& least, const T& most) {
    return v < least ? least : most < v ? most : v;
}
template <class T>
__device__ constexpr remove_reference_t<T>&& move(T&& v) noexcept {
    return static_cast<remove_reference_t<T>&&>(v);
}
template <class T>
__device__ constexpr T&& forward(remove_reference_t<T>& v) noexcept {
    return static_cast<T&&>(v);
}
template <class T>
__device__ constexpr void swap(T& a, T& b) {
    T c = move(a);
    a = move(b);
    b = move(c);
}

template <class T>
struct numeric_limits {};
#define HONE_LIMITS(T, least, most, negative, isigned)              \
    template <>                                                     \
    struct numeric_limits<T> {                                      \
        static constexpr bool is_specialized = true;                \
        static constexpr bool is_signed = isigned;                  \
        __device__ static constexpr T min() { return least; }       \
        __device__ static constexpr T max() { return most; }        \
        __device__ static constexpr T lowest() { return negative; } \
    };
HONE_LIMITS(signed char, -128, 127, -128, true)
HONE_LIMITS(unsigned char, 0, 255, 0, false)
HONE_LIMITS(short, -32768, 32767, -32768, true)
HONE_LIMITS(unsigned short, 0, 65535, 0, false)
HONE_LIMITS(int, INT_MIN, INT_MAX, INT_MIN, true)
HONE_LIMITS(unsigned, 0, UINT_MAX, 0, false)
HONE_LIMITS(long, LONG_MIN, LONG_MAX, LONG_MIN, true)
HONE_LIMITS(unsigned long, 0, ULONG_MAX, 0, false)
HONE_LIMITS(long long, LLONG_MIN, LLONG_MAX, LLONG_MIN, true)
HONE_LIMITS(unsigned long long, 0, ULLONG_MAX, 0, false)
#undef HONE_LIMITS
#define HONE_LIMITS(T, least, most, small, infinite, nan_of)          \
    template <>                                                       \
    struct numeric_limits<T> {                                        \
        static constexpr bool is_specialized = true;                  \
        static constexpr bool is_signed = true;                       \
        static constexpr bool has_infinity = true;                    \
        __device__ static constexpr T min() { return least; }         \
        __device__ static constexpr T max() { return most; }          \
        __device__ static constexpr T lowest() { return -most; }      \
        __device__ static constexpr T epsilon() { return small; }     \
        __device__ static constexpr T infinity() { return infinite; } \
        __device__ static constexpr T quiet_NaN() { return nan_of; }  \
    };
HONE_LIMITS(float, FLT_MIN, FLT_MAX, FLT_EPSILON, INFINITY, NAN)
HONE_LIMITS(double, DBL_MIN, DBL_MAX, DBL_EPSILON, HUGE_VAL, __builtin_bit_cast(double, 0x7fffffffffffffffll))
#undef HONE_LIMITS

#define HONE_MATH(name, single)               \
    __device__ inline float name(float x) {   \
        return ::single(x);                   \
    }                                         \
    __device__ inline double name(double x) { \
        return ::name(x);                     \
    }
HONE_MATH(abs, fabsf)
HONE_MATH(ceil, ceilf)
HONE_MATH(cos, cosf)
HONE_MATH(cosh, coshf)
HONE_MATH(erf, erff)
HONE_MATH(exp, expf)
HONE_MATH(exp2, exp2f)
HONE_MATH(floor, floorf)
HONE_MATH(log, logf)
HONE_MATH(log1p, log1pf)
HONE_MATH(log2, log2f)
HONE_MATH(round, roundf)
HONE_MATH(sin, sinf)
HONE_MATH(sinh, sinhf)
HONE_MATH(sqrt, sqrtf)
HONE_MATH(tan, tanf)
HONE_MATH(tanh, tanhf)
HONE_MATH(trunc, truncf)
#undef HONE_MATH
#define HONE_MATH(name, single)                         \
    __device__ inline float name(float x, float y) {    \
        return ::single(x, y);                          \
    }                                                   \
    __device__ inline double name(double x, double y) { \
        return ::name(x, y);                            \
    }
HONE_MATH(atan2, atan2f)
HONE_MATH(fmax, fmaxf)
HONE_MATH(fmin, fminf)
HONE_MATH(fmod, fmodf)
HONE_MATH(pow, powf)
#undef HONE_MATH
__device__ inline int abs(int x) {
    return ::abs(x);
}
__device__ inline float fma(float x, float y, float z) {
    return ::fmaf(x, y, z);
}
__device__ inline double fma(double x, double y, double z) {
    return ::fma(x, y, z);
}
__device__ inline bool isnan(float x) {
    return x != x;
}
__device__ inline bool isnan(double x) {
    return x != x;
}
__device__ inline bool isinf(float x) {
    return x == INFINITY || x == -INFINITY;
}
__device__ inline bool isinf(double x) {
    return x == HUGE_VAL || x == -HUGE_VAL;
}
__device__ inline bool isfinite(float x) {
    return x - x == 0.0f;
}
__device__ inline bool isfinite(double x) {
    return x - x == 0.0;
}

}  // namespace std

#endif
