// The matrix units of compute capability 9.0, which four warps feed together from
// shared memory; mma.sync cannot use all of their speed. Compile for sm_90a.
//
// An H200 takes 2049.5 cycles for a round, of 2048 that its units need at least:
// what is short of the data sheet is the clock, which falls under this load.

// One instruction: 64xK by Kx256, K being 32 bytes long, and 64x256 sums, of
// which each of 128 threads has 128.
#define SUMS                                                                                \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, " \
    "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, " \
    "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, " \
    "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, " \
    "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, " \
    "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "   \
    "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "  \
    "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define SUM4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUM16(i) SUM4(i), SUM4(i + 4), SUM4(i + 8), SUM4(i + 12)
#define SUM64(i) SUM16(i), SUM16(i + 16), SUM16(i + 32), SUM16(i + 48)

#define WGMMA(shape, a, b, sign, rest) \
    " wgmma.mma_async.sync.aligned." shape " {" SUMS "}, " a ", " b ", on, " sign ", 1" rest ";"

#define STEPS(shape, sign, rest)             \
    WGMMA(shape, "%128", "%132", sign, rest) \
    WGMMA(shape, "%129", "%133", sign, rest) \
    WGMMA(shape, "%130", "%134", sign, rest) WGMMA(shape, "%131", "%135", sign, rest)

// ROUND goes over the tiles' 128 bytes in 4 steps, adding, and again subtracting,
// so that the sums stay bounded. It is one statement, since each with so many
// operands takes the compiler long.
#define ROUND(shape, rest)                                                                                  \
    asm volatile(                                                                                           \
        "{ .reg .pred on; setp.eq.u32 on, 0, 0; wgmma.fence.sync.aligned;" STEPS(shape, "1", rest)          \
            STEPS(shape, "-1", rest) " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }" \
        : SUM64(0), SUM64(64)                                                                               \
        : "l"(a), "l"(a + 2), "l"(a + 4), "l"(a + 6), "l"(b), "l"(b + 2), "l"(b + 4), "l"(b + 6))

using tile = unsigned long long;  // as an instruction names it: see describe

struct Half {
    static __device__ unsigned value(unsigned x) { return (x & 0x83ff83ffu) | 0x3c003c00u; }
    static __device__ void round(float (&d)[128], tile a, tile b) {
        ROUND("m64n256k16.f32.f16.f16", ", 0, 0");
    }
};

struct Brain {
    static __device__ unsigned value(unsigned x) { return (x & 0x807f807fu) | 0x3f803f80u; }
    static __device__ void round(float (&d)[128], tile a, tile b) {
        ROUND("m64n256k16.f32.bf16.bf16", ", 0, 0");
    }
};

struct Single {
    static __device__ unsigned value(unsigned x) { return (x & 0x807fffffu) | 0x3f800000u; }
    static __device__ void round(float (&d)[128], tile a, tile b) { ROUND("m64n256k8.f32.tf32.tf32", ""); }
};

// describe names a tile in shared memory: rows of 128 bytes, eight to a group of
// 1024, in the 128-byte swizzle that avoids bank conflicts.
__device__ tile describe(const void* start) {
    const tile address = __cvta_generic_to_shared(start), group = 1024, swizzle = 1;
    return ((address & 0x3ffff) >> 4) | (tile(1) << 16) | ((group >> 4) << 32) | (swizzle << 62);
}

// product has two groups of four warps, each with a tile of its own and one in
// common. Each group does 8 instructions a round.
template <typename Unit>
__device__ void product(float* sink, int rounds) {
    __shared__ __align__(1024) unsigned tiles[(2 * 64 + 256) * 32];
    for (unsigned i = threadIdx.x; i < sizeof(tiles) / sizeof(unsigned); i += blockDim.x) {
        unsigned x = (i + blockIdx.x) * 0x9e3779b9u;
        x = (x ^ (x >> 16)) * 0x7feb352du;
        tiles[i] = Unit::value(x ^ (x >> 15));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const tile a = describe(tiles + threadIdx.x / 128 * 64 * 32), b = describe(tiles + 2 * 64 * 32);
    float d[128] = {};
#pragma unroll 1
    for (int i = 0; i < rounds; i++) Unit::round(d, a, b);
    float sum = 0;
    for (int i = 0; i < 128; i++) sum += d[i];
    if (sum == 12345) *sink = sum;
}

extern "C" __global__ void __launch_bounds__(256) wgmma_fp16(float* sink, int rounds) {
    product<Half>(sink, rounds);
}
extern "C" __global__ void __launch_bounds__(256) wgmma_bf16(float* sink, int rounds) {
    product<Brain>(sink, rounds);
}
extern "C" __global__ void __launch_bounds__(256) wgmma_tf32(float* sink, int rounds) {
    product<Single>(sink, rounds);
}
