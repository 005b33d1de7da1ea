// Qualifiers and predefined macros of CUDA C++.
#ifndef HONE_LANGUAGE_H
#define HONE_LANGUAGE_H

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define CUDA_VERSION 12080
#define CUDART_VERSION 12080

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __builtin_assume(condition) ((void)0)

// Without "inline", which may stand beside it and may not stand twice; hidden,
// because a function that another object could replace is never inlined.
#define __forceinline__ __attribute__((always_inline, visibility("hidden")))
// Empty, because system headers write __attribute__((__noinline__)).
#define __noinline__

// Functions of the header: always part of their caller, so that a memory access
// in one of them is charged to the line of the user's text that called it.
#define HONE_INLINE inline __attribute__((always_inline, artificial))

// Functions and variables that the emulator defines.
#define HONE_EMULATOR extern "C" __attribute__((visibility("default")))

// What glibc declares its functions with, so that they can be declared again.
#ifdef __THROW
#define HONE_C_FUNCTION __THROW
#else
#define HONE_C_FUNCTION
#endif

// The name of a symbol as the assembler knows it.
#define HONE_STRING(x) #x
#define HONE_PREFIXED(prefix, name) HONE_STRING(prefix) name
#define HONE_SYMBOL(name) HONE_PREFIXED(__USER_LABEL_PREFIX__, name)

// The build in which every access to memory is checked.
#if defined(__SANITIZE_THREAD__)
#define HONE_CHECKED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HONE_CHECKED
#endif
#endif

#ifdef __linux__
#define HONE_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#else
#define HONE_THREAD_LOCAL __thread
#endif

namespace hone {

template <bool condition, class T>
struct only_if {};
template <class T>
struct only_if<true, T> {
    using type = T;
};

template <class T, class U>
constexpr bool same = false;
template <class T>
constexpr bool same<T, T> = true;

template <class T>
constexpr bool integral =
    same<T, bool> || same<T, char> || same<T, signed char> || same<T, unsigned char> || same<T, short> ||
    same<T, unsigned short> || same<T, int> || same<T, unsigned> || same<T, long> || same<T, unsigned long> ||
    same<T, long long> || same<T, unsigned long long>;
template <class T>
constexpr bool floating = same<T, float> || same<T, double>;
template <class T>
constexpr bool arithmetic = integral<T> || floating<T>;

// bit_cast reads the bits of one type as another.
template <class To, class From>
HONE_INLINE To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}

}  // namespace hone

#endif
