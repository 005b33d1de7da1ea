// Kernels that do nothing but multiply and add, in registers alone. Their values
// stay bounded and keep changing, as a task's do: a device draws more power for
// them than for zeros, and may lower its clocks.
//
// Matrix units are reached by mma.sync, which is their full speed up to compute
// capability 8.9 and on 12.x. For 9.0 see wgmma.cu.

__device__ unsigned random(unsigned salt) {
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b9u + salt * 0x85ebca6bu;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    return x ^ (x >> 15);
}

// chain iterates x*x - 1.9, which is chaotic within [-2, 2], in 8 independent
// chains of 32 steps each round.
template <typename real>
__device__ void chain(real* sink, int rounds) {
    const real c = real(-1.9);
    real x[8];
    for (int j = 0; j < 8; j++) x[j] = real(random(j)) / real(4294967296.0);
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int step = 0; step < 32; step++) {
#pragma unroll
            for (int j = 0; j < 8; j++) x[j] = fma(x[j], x[j], c);
        }
    }
    real sum = 0;
    for (int j = 0; j < 8; j++) sum += x[j];
    if (sum == real(12345)) *sink = sum;
}

extern "C" __global__ void __launch_bounds__(256) fma_fp32(float* sink, int rounds) {
    chain(sink, rounds);
}
extern "C" __global__ void __launch_bounds__(256) fma_fp64(double* sink, int rounds) {
    chain(sink, rounds);
}

#if __CUDA_ARCH__ >= 750

// halves makes two float16 of magnitude 1 to 2, brains two bfloat16, single a float32.
__device__ unsigned halves(unsigned x) {
    return (x & 0x83ff83ffu) | 0x3c003c00u;
}
__device__ unsigned brains(unsigned x) {
    return (x & 0x807f807fu) | 0x3f803f80u;
}
__device__ unsigned single(unsigned x) {
    return (x & 0x807fffffu) | 0x3f800000u;
}

#define MMA_FLOAT(instruction)                                                                  \
    asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// Fragments of one instruction for one thread: 16x16 by 16x8 elements of two
// bytes, or 16x8 by 8x8 of four, and their 16x8 sums.
struct Half {
    using sums = float[4];
    static constexpr unsigned sign = 0x80008000u;
    static __device__ unsigned value(unsigned x) { return halves(x); }
    static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
        MMA_FLOAT("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
#else
        for (int k = 0; k < 2; k++) {
            asm volatile(
                "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, "
                "%2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(b[k]));
        }
#endif
    }
};

// HalfSums adds in float16, which some devices do at twice the speed.
struct HalfSums {
    using sums = unsigned[2];
    static constexpr unsigned sign = 0x80008000u;
    static __device__ unsigned value(unsigned x) { return halves(x); }
    static __device__ void multiply(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, "
            "%1};"
            : "+r"(d[0]), "+r"(d[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
        for (int k = 0; k < 2; k++) {
            asm volatile(
                "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                : "+r"(d[0]), "+r"(d[1])
                : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(b[k]));
        }
#endif
    }
};

// product adds a*b and takes it away again, for 8 independent sums: 16
// instructions a round.
template <typename Unit>
__device__ void product(float* sink, int rounds) {
    unsigned a[2][4], b[8][2];
    typename Unit::sums d[8] = {};
    for (int i = 0; i < 4; i++) {
        a[0][i] = Unit::value(random(i));
        a[1][i] = a[0][i] ^ Unit::sign;
    }
    for (int j = 0; j < 8; j++) {
        for (int i = 0; i < 2; i++) b[j][i] = Unit::value(random(4 + 2 * j + i));
    }
#pragma unroll 4
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < 2; s++) {
#pragma unroll
            for (int j = 0; j < 8; j++) Unit::multiply(d[j], a[s], b[j]);
        }
    }
    float sum = 0;
    for (int j = 0; j < 8; j++) sum += float(d[j][0]) + float(d[j][1]);
    if (sum == 12345) *sink = sum;
}

extern "C" __global__ void __launch_bounds__(256) mma_fp16(float* sink, int rounds) {
    product<Half>(sink, rounds);
}
extern "C" __global__ void __launch_bounds__(256) mma_fp16_sums(float* sink, int rounds) {
    product<HalfSums>(sink, rounds);
}

#endif

#if __CUDA_ARCH__ >= 800

struct Brain {
    using sums = float[4];
    static constexpr unsigned sign = 0x80008000u;
    static __device__ unsigned value(unsigned x) { return brains(x); }
    static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
        MMA_FLOAT("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
    }
};

struct Single {
    using sums = float[4];
    static constexpr unsigned sign = 0x80000000u;
    static __device__ unsigned value(unsigned x) { return single(x); }
    static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
        MMA_FLOAT("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
    }
};

extern "C" __global__ void __launch_bounds__(256) mma_bf16(float* sink, int rounds) {
    product<Brain>(sink, rounds);
}
extern "C" __global__ void __launch_bounds__(256) mma_tf32(float* sink, int rounds) {
    product<Single>(sink, rounds);
}

// mma_fp64 multiplies 8x4 by 4x8, or from capability 9.0 on 16x16 by 16x8, whose
// larger instruction alone reaches the full speed there.
extern "C" __global__ void __launch_bounds__(256) mma_fp64(double* sink, int rounds) {
#if __CUDA_ARCH__ >= 900
    constexpr int na = 8, nb = 4, nd = 4;
#else
    constexpr int na = 1, nb = 1, nd = 2;
#endif
    double a[2][na], b[nb], d[4][nd] = {};
    for (int i = 0; i < na; i++) {
        a[0][i] = 1 + double(random(i)) / 4294967296.0;
        a[1][i] = -a[0][i];
    }
    for (int i = 0; i < nb; i++) b[i] = 1 + double(random(na + i)) / 4294967296.0;
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int s = 0; s < 2; s++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
#if __CUDA_ARCH__ >= 900
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                    "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                    : "+d"(d[j][0]), "+d"(d[j][1]), "+d"(d[j][2]), "+d"(d[j][3])
                    : "d"(a[s][0]), "d"(a[s][1]), "d"(a[s][2]), "d"(a[s][3]), "d"(a[s][4]), "d"(a[s][5]),
                      "d"(a[s][6]), "d"(a[s][7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
                asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                             : "+d"(d[j][0]), "+d"(d[j][1])
                             : "d"(a[s][0]), "d"(b[0]));
#endif
            }
        }
    }
    double sum = 0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < nd; i++) sum += d[j][i];
    }
    if (sum == 12345) *sink = sum;
}

#endif
