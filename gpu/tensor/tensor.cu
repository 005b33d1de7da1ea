// The judge's own kernels: they draw inputs, convert, and compare on the device
// where the tensors lie. Package check says what each must compute.
//
// An element type is a number known at run time alone, so that one kernel serves
// all of them: loads are as wide as the type, and arithmetic is double. Only what
// every CUDA compiler knows without a header is used. Products and sums must not
// be fused, or results would differ from check's.

typedef unsigned long long u64;

// Element types, in the order in which package tensor numbers them.
enum Type { float64, float32, float16, bfloat16, int32, int64 };

// Distributions, likewise.
enum Fill { normal, uniform, integers };

__device__ long long thread() {
    return blockIdx.x * (long long)blockDim.x + threadIdx.x;
}
__device__ long long threads() {
    return gridDim.x * (long long)blockDim.x;
}

__device__ double infinity() {
    return __longlong_as_double(0x7ff0000000000000);
}
__device__ bool is_nan(double x) {
    return x != x;
}
__device__ bool is_finite(double x) {
    return fabs(x) < infinity();
}

// ---- Elements.

__device__ int width(int type) {
    if (type == float16 || type == bfloat16) return 2;
    return type == float32 || type == int32 ? 4 : 8;
}

// load reads the bits of element i. It interprets none, so that loads need not
// wait for each other.
__device__ u64 load(const void* data, int type, long long i) {
    switch (width(type)) {
        case 2:
            return static_cast<const unsigned short*>(data)[i];
        case 4:
            return static_cast<const unsigned*>(data)[i];
        default:
            return static_cast<const u64*>(data)[i];
    }
}

__device__ void store(void* data, int type, long long i, u64 bits) {
    switch (width(type)) {
        case 2:
            static_cast<unsigned short*>(data)[i] = (unsigned short)bits;
            break;
        case 4:
            static_cast<unsigned*>(data)[i] = (unsigned)bits;
            break;
        default:
            static_cast<u64*>(data)[i] = bits;
    }
}

// widen_half scales a half's exponent to that of a float by one exact product.
__device__ float widen_half(unsigned bits) {
    unsigned magnitude = (bits & 0x7fff) << 13;
    unsigned wide = __float_as_uint(__uint_as_float(magnitude) * __uint_as_float(0x77800000u));  // 2^112
    if (magnitude >= 0x0f800000) wide |= 0x7f800000;  // infinity or NaN
    return __uint_as_float(wide | (bits & 0x8000) << 16);
}

__device__ long long integer(u64 bits, int type) {
    return type == int32 ? (int)bits : (long long)bits;
}

__device__ double decode(u64 bits, int type) {
    switch (type) {
        case float64:
            return __longlong_as_double((long long)bits);
        case float32:
            return __uint_as_float((unsigned)bits);
        case float16:
            return widen_half((unsigned)bits);
        case bfloat16:
            return __uint_as_float((unsigned)bits << 16);
        default:
            return (double)integer(bits, type);
    }
}

// narrow rounds to a 16-bit format with so many bits of mantissa: once, to
// nearest, ties to even. Below the smallest normal number the step stays the same.
__device__ unsigned narrow(double value, int mantissa, int bias) {
    u64 bits = (u64)__double_as_longlong(value);
    unsigned sign = (unsigned)(bits >> 48) & 0x8000;
    unsigned top = (2u * bias + 1) << mantissa;
    bits &= 0x7fffffffffffffff;
    if (bits > 0x7ff0000000000000) return sign | top | 1u << (mantissa - 1);
    int exponent = (int)(bits >> 52) - 1023;
    if (exponent > bias) return sign | top;
    int held = max(exponent, 1 - bias);
    int shift = 52 - mantissa + held - exponent;
    if (shift > 53) return sign;  // less than half of the smallest step
    u64 significand = (bits & 0xfffffffffffff) | 0x10000000000000;
    u64 steps = significand >> shift, rest = significand & (((u64)1 << shift) - 1),
        half = (u64)1 << (shift - 1);
    if (rest > half || (rest == half && (steps & 1))) steps++;
    // The leading bit of a normal number adds 1 to the exponent field, as does a carry.
    return sign | (((unsigned)(held + bias - 1) << mantissa) + (unsigned)steps);
}

__device__ u64 encode(double value, int type) {
    switch (type) {
        case float64:
            return (u64)__double_as_longlong(value);
        case float32:
            return __float_as_uint((float)value);
        case float16:
            return narrow(value, 10, 15);
        case bfloat16:
            return narrow(value, 7, 127);
        default:
            return (u64)(long long)rint(value);
    }
}

// ---- Filling.

// philox is Philox4x32-10: 128 random bits that depend on a counter and a key
// alone, so that no thread needs to know what another one drew.
__device__ void philox(u64 key, u64 index, u64 stream, u64 drawn[2]) {
    unsigned c0 = (unsigned)index, c1 = (unsigned)(index >> 32);
    unsigned c2 = (unsigned)stream, c3 = (unsigned)(stream >> 32);
    unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
    for (int round = 0; round < 10; round++) {
        u64 a = (u64)0xD2511F53u * c0, b = (u64)0xCD9E8D57u * c2;
        c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
        c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
        c1 = (unsigned)b;
        c3 = (unsigned)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    drawn[0] = c0 | (u64)c1 << 32;
    drawn[1] = c2 | (u64)c3 << 32;
}

// fraction is uniform in [0, 1), in steps of 2^-53.
__device__ double fraction(u64 bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

// sample makes two values of one distribution from random bits.
__device__ void sample(int fill, double low, double high, const u64 bits[2], double value[2]) {
    if (fill == normal) {  // Box and Muller
        double radius = sqrt(-2 * log(fraction(bits[0]) + 0x1p-53)), sine, cosine;
        sincos(6.283185307179586 * fraction(bits[1]), &sine, &cosine);
        value[0] = low + high * (radius * cosine);
        value[1] = low + high * (radius * sine);
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (fill == uniform)
            value[i] = low + (high - low) * fraction(bits[i]);
        else  // the bias is below 2^-11 for any range that a double counts in ones
            value[i] = low + (double)__umul64hi(bits[i], (u64)(long long)(high - low));
    }
}

// draw fills n elements. Elements 2i and 2i+1 come from number i of the stream.
extern "C" __global__ void draw(void* data, int type, long long n, int fill, double low, double high,
                                double factor, u64 seed, u64 stream) {
    for (long long i = thread(); 2 * i < n; i += threads()) {
        u64 bits[2];
        double value[2];
        philox(seed, (u64)i, stream, bits);
        sample(fill, low, high, bits, value);
        store(data, type, 2 * i, encode(value[0] * factor, type));
        if (2 * i + 1 < n) store(data, type, 2 * i + 1, encode(value[1] * factor, type));
    }
}

extern "C" __global__ void convert(void* to, int to_type, const void* from, int from_type, long long n) {
    for (long long i = thread(); i < n; i += threads())
        store(to, to_type, i, encode(decode(load(from, from_type, i), from_type), to_type));
}

// ---- Counting. Each kernel adds up its figures: sums, followed by maxima. The
// totals must be zero before it runs.

template <int sums, int maxima>
__device__ void gather(const u64* mine, u64* totals) {
    const int all = sums + maxima;
    __shared__ u64 block[all];
    if (threadIdx.x < all) block[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int f = 0; f < all; f++) {
        u64 value = mine[f];
        for (int step = 16; step > 0; step /= 2) {
            u64 other = __shfl_xor_sync(0xffffffffu, value, step);
            value = f < sums ? value + other : max(value, other);
        }
        if (threadIdx.x % 32 != 0 || value == 0) continue;
        if (f < sums)
            atomicAdd(&block[f], value);
        else
            atomicMax(&block[f], value);
    }
    __syncthreads();
    int f = threadIdx.x;
    if (f >= all || block[f] == 0) return;
    if (f < sums)
        atomicAdd(&totals[f], block[f]);
    else
        atomicMax(&totals[f], block[f]);
}

// differing counts the bytes in which two tensors differ: sum 0.
extern "C" __global__ void differing(const void* a, const void* b, long long bytes, u64* totals) {
    u64 count = 0;
    for (long long i = thread(); i < bytes / 8; i += threads()) {
        u64 x = static_cast<const u64*>(a)[i] ^ static_cast<const u64*>(b)[i];
        x |= x >> 4;
        x |= x >> 2;
        x |= x >> 1;
        count += (u64)__popcll((long long)(x & 0x0101010101010101));
    }
    long long i = bytes / 8 * 8 + thread();
    if (i < bytes)
        count += static_cast<const unsigned char*>(a)[i] != static_cast<const unsigned char*>(b)[i];
    gather<1, 0>(&count, totals);
}

// damage counts the guard bytes that changed: sum 0 before the data, sum 1 after.
extern "C" __global__ void damage(const void* allocation, long long size, long long offset, long long bytes,
                                  unsigned char guard, u64* totals) {
    u64 count[2] = {0, 0};
    for (long long i = thread(); i < size - bytes; i += threads()) {
        bool after = i >= offset;
        if (static_cast<const unsigned char*>(allocation)[after ? i + bytes : i] != guard) count[after]++;
    }
    gather<2, 0>(count, totals);
}

// The figures of a comparison.
enum Figure {
    wrong,     // sums: elements out of tolerance
    unlike,    // elements with NaN on exactly one side
    unclose,   // elements that fail KernelBench's criterion
    before,    // maxima: ~index of the first wrong element, the rest the bits of a double
    worst,     // distance of got from truth
    excuse,    // distance of the baseline from truth
    absolute,  // worst, where it is finite
    relative,  // of those, where the truth is beyond the absolute tolerance
    figures
};

// raise keeps the larger one. Doubles from zero on are in the order of their bits.
__device__ void raise(u64& figure, double value) {
    u64 bits = (u64)__double_as_longlong(value);
    if (bits > figure) figure = bits;
}

__device__ void refuse(u64* figure, long long i) {
    figure[wrong]++;
    if (~(u64)i > figure[before]) figure[before] = ~(u64)i;
}

// distance is |got - want|, infinite where only one side is a number.
__device__ double distance(double got, double want) {
    double off = fabs(got - want);
    if (is_finite(off)) return off;
    return got == want || (is_nan(got) && is_nan(want)) ? 0 : infinity();
}

// close is KernelBench's criterion for one element.
__device__ bool close(double base, double got, double tolerance) {
    double off = fabs(base - got);
    return is_finite(off) ? off <= tolerance + tolerance * fabs(got) : base == got;
}

// judge adds one element to the figures.
__device__ void judge(double got, double want, double base, long long i, double abs, double rel, double bench,
                      u64* figure) {
    double off = distance(got, want), magnitude = fabs(want);
    if (off > abs + rel * magnitude || !is_finite(off)) refuse(figure, i);
    if (is_nan(got) != is_nan(want)) figure[unlike]++;
    if (!close(base, got, bench)) figure[unclose]++;
    raise(figure[worst], off);
    raise(figure[excuse], distance(base, want));
    if (!is_finite(off)) return;
    raise(figure[absolute], off);
    if (magnitude > abs && is_finite(want)) raise(figure[relative], off / magnitude);
}

// compare holds floating elements against the truth. From limit on, a truth is
// infinite in got's type.
extern "C" __global__ void compare(const void* got, const void* truth, const void* baseline, int got_type,
                                   int truth_type, int baseline_type, long long n, double abs, double rel,
                                   double limit, double bench, u64* totals) {
    u64 figure[figures] = {};
    const int batch = 2;  // elements that are loaded before the first is looked at
    for (long long i = thread(); i < n; i += batch * threads()) {
        u64 bits[batch][3];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            long long at = min(i + k * threads(), n - 1);
            bits[k][0] = load(got, got_type, at);
            bits[k][1] = load(truth, truth_type, at);
            bits[k][2] = load(baseline, baseline_type, at);
        }
#pragma unroll
        for (int k = 0; k < batch; k++) {
            double have = decode(bits[k][0], got_type), want = decode(bits[k][1], truth_type);
            if (fabs(want) >= limit) want = copysign(infinity(), want);
            if (i + k * threads() < n)
                judge(have, want, decode(bits[k][2], baseline_type), i + k * threads(), abs, rel, bench,
                      figure);
        }
    }
    gather<before, figures - before>(figure, totals);
}

// compare_integers holds integers against the truth: they must be equal.
extern "C" __global__ void compare_integers(const void* got, const void* truth, const void* baseline,
                                            int type, long long n, double bench, u64* totals) {
    u64 figure[figures] = {};
    for (long long i = thread(); i < n; i += threads()) {
        long long have = integer(load(got, type, i), type), want = integer(load(truth, type, i), type);
        if (have != want) refuse(figure, i);
        if (!close(decode(load(baseline, type, i), type), (double)have, bench)) figure[unclose]++;
        raise(figure[absolute], fabs((double)have - (double)want));
    }
    gather<before, figures - before>(figure, totals);
}
