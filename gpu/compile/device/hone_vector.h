// The vector types of CUDA and dim3, with CUDA's names, sizes and alignments.
#ifndef HONE_VECTOR_H
#define HONE_VECTOR_H

#define HONE_VECTOR(T, name, align1, align2, align4)              \
    struct alignas(align1) name##1 {                              \
        T x;                                                      \
    };                                                            \
    struct alignas(align2) name##2 {                              \
        T x, y;                                                   \
    };                                                            \
    struct name##3 {                                              \
        T x, y, z;                                                \
    };                                                            \
    struct alignas(align4) name##4 {                              \
        T x, y, z, w;                                             \
    };                                                            \
    inline constexpr name##1 make_##name##1(T x) {                \
        return {x};                                               \
    }                                                             \
    inline constexpr name##2 make_##name##2(T x, T y) {           \
        return {x, y};                                            \
    }                                                             \
    inline constexpr name##3 make_##name##3(T x, T y, T z) {      \
        return {x, y, z};                                         \
    }                                                             \
    inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { \
        return {x, y, z, w};                                      \
    }
HONE_VECTOR(signed char, char, 1, 2, 4)
HONE_VECTOR(unsigned char, uchar, 1, 2, 4)
HONE_VECTOR(short, short, 2, 4, 8)
HONE_VECTOR(unsigned short, ushort, 2, 4, 8)
HONE_VECTOR(int, int, 4, 8, 16)
HONE_VECTOR(unsigned, uint, 4, 8, 16)
HONE_VECTOR(long, long, 8, 16, 16)
HONE_VECTOR(unsigned long, ulong, 8, 16, 16)
HONE_VECTOR(long long, longlong, 8, 16, 16)
HONE_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
HONE_VECTOR(float, float, 4, 8, 16)
HONE_VECTOR(double, double, 8, 16, 16)
#undef HONE_VECTOR

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

#endif
