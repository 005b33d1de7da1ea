// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// A block makes a 16 x 16 patch of kFilters feature maps of one image. The patch
// of each input channel, with its border, is read once into shared memory and
// used for all kFilters filters, whose sums stay in registers.
constexpr int kPatch = 16;
constexpr int kFilters = 8;
constexpr int kThreads = kPatch * kPatch;

__global__ void __launch_bounds__(kThreads)
convolve(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
         float* __restrict__ y, int channels, int filters, int height, int width)
{
    __shared__ float patch[kPatch + 2][kPatch + 2];
    __shared__ float taps[kFilters][9];
    const int groups = (filters + kFilters - 1) / kFilters;
    const int filter0 = blockIdx.z % groups * kFilters;
    const int image = blockIdx.z / groups;
    const int tid = threadIdx.y * kPatch + threadIdx.x;
    const int row0 = blockIdx.y * kPatch;
    const int col0 = blockIdx.x * kPatch;

    float sum[kFilters] = {};
    for (int channel = 0; channel < channels; ++channel) {
        const float* plane = x + int64_t(image * channels + channel) * height * width;
        for (int i = tid; i < (kPatch + 2) * (kPatch + 2); i += kThreads) {
            const int r = i / (kPatch + 2), c = i % (kPatch + 2);
            const bool inside = row0 + r < height && col0 + c < width;
            patch[r][c] = inside ? plane[(row0 + r) * width + col0 + c] : 0.0f;
        }
        if (tid < kFilters * 9) {
            const int f = tid / 9;
            const bool inside = filter0 + f < filters;
            taps[f][tid % 9] = inside ? weight[((filter0 + f) * channels + channel) * 9 + tid % 9] : 0.0f;
        }
        __syncthreads();
        float window[9];
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            window[i] = patch[threadIdx.y + i / 3][threadIdx.x + i % 3];
        }
#pragma unroll
        for (int f = 0; f < kFilters; ++f) {
#pragma unroll
            for (int i = 0; i < 9; ++i) {
                sum[f] += window[i] * taps[f][i];
            }
        }
        __syncthreads();
    }

    const int row = row0 + threadIdx.y;
    const int col = col0 + threadIdx.x;
    if (row >= height - 2 || col >= width - 2) {
        return;
    }
    for (int f = 0; f < kFilters && filter0 + f < filters; ++f) {
        const int64_t plane = int64_t(image) * filters + filter0 + f;
        y[(plane * (height - 2) + row) * (width - 2) + col] = fmaxf(sum[f] + bias[filter0 + f], 0.0f);
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t batch,
                      int64_t channels, int64_t filters, int64_t height, int64_t width, cudaStream_t stream)
{
    const unsigned groups = static_cast<unsigned>((filters + kFilters - 1) / kFilters);
    const dim3 grid((width - 2 + kPatch - 1) / kPatch, (height - 2 + kPatch - 1) / kPatch,
                    static_cast<unsigned>(batch) * groups);
    convolve<<<grid, dim3(kPatch, kPatch), 0, stream>>>(x, weight, bias, y, int(channels), int(filters), int(height),
                                                        int(width));
}
