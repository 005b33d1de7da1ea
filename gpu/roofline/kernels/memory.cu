// What the memory curves and the stopwatch launch. The host chooses the grid.

using quad = uint4;
using count = unsigned long long;

__device__ unsigned scramble(unsigned x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__device__ void mix(quad& into, quad v) {
    into.x ^= v.x;
    into.y ^= v.y;
    into.z ^= v.z;
    into.w ^= v.w;
}

template <bool streaming>
__device__ quad load(const quad* p) {
    return streaming ? __ldcs(p) : *p;
}

template <bool streaming>
__device__ void store(quad* p, quad v) {
    if (streaming) {
        __stcs(p, v);
    } else {
        *p = v;
    }
}

// move reads some arrays of so many quads, which lie one behind the other, and
// writes others. Each thread has `unroll` quads of each array under way at once.
// Where nothing is written it keeps the sum of what it read, so that no load can
// be left out.
template <int reads, int writes, int unroll, bool streaming>
__global__ void move(const quad* __restrict__ from, quad* __restrict__ to, count quads) {
    const count tile = count(blockDim.x) * unroll;
    quad sum = {0, 0, 0, 0};
    for (count base = blockIdx.x * tile + threadIdx.x; base < quads; base += gridDim.x * tile) {
        quad v[unroll];
#pragma unroll
        for (int u = 0; u < unroll; u++) {
            const count i = base + count(u) * blockDim.x;
            v[u] = {unsigned(i), 1, 2, 3};
#pragma unroll
            for (int r = 0; r < reads; r++) {
                if (i < quads) mix(v[u], load<streaming>(from + r * quads + i));
            }
        }
#pragma unroll
        for (int u = 0; u < unroll; u++) {
            const count i = base + count(u) * blockDim.x;
            if (writes == 0) mix(sum, v[u]);
#pragma unroll
            for (int w = 0; w < writes; w++) {
                if (i < quads) store<streaming>(to + w * quads + i, v[u]);
            }
        }
    }
    if (writes == 0 && (sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x5eed) *to = sum;
}

// fill makes every word different, so that nothing gains by values.
extern "C" __global__ void fill(quad* to, count quads) {
    const count step = count(gridDim.x) * blockDim.x;
    for (count i = count(blockIdx.x) * blockDim.x + threadIdx.x; i < quads; i += step) {
        const unsigned x = scramble(unsigned(i));
        to[i] = {x, scramble(x), scramble(x + 1), scramble(x + 2)};
    }
}

// sweep reads memory and leaves its lines in the cache, clean.
extern "C" __global__ void sweep(const quad* from, count quads, unsigned* sink) {
    const count step = count(gridDim.x) * blockDim.x;
    unsigned sum = 0;
    for (count i = count(blockIdx.x) * blockDim.x + threadIdx.x; i < quads; i += step) {
        const quad v = from[i];
        sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x5eed) *sink = sum;
}

// hold keeps the device busy while the host queues what follows.
extern "C" __global__ void hold(count cycles) {
    const count start = clock64();
    while (clock64() - start < cycles) {
    }
}
