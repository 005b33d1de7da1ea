// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

__global__ void convolve(const float* x, const float* weight, const float* bias, float* y, int channels, int filters,
                         int height, int width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int filter = blockIdx.z % filters;
    const int image = blockIdx.z / filters;
    if (row >= height - 2 || col >= width - 2) {
        return;
    }
    float sum = bias[filter];
    for (int channel = 0; channel < channels; ++channel) {
        for (int u = 0; u < 3; ++u) {
            for (int v = 0; v < 3; ++v) {
                const int64_t at = (int64_t(image * channels + channel) * height + row + u) * width + col + v;
                sum += x[at] * weight[((filter * channels + channel) * 3 + u) * 3 + v];
            }
        }
    }
    const int64_t at = (int64_t(blockIdx.z) * (height - 2) + row) * (width - 2) + col;
    y[at] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t batch,
                      int64_t channels, int64_t filters, int64_t height, int64_t width, cudaStream_t stream)
{
    const dim3 block(16, 16);
    const dim3 grid((width - 2 + 15) / 16, (height - 2 + 15) / 16, batch * filters);
    convolve<<<grid, block, 0, stream>>>(x, weight, bias, y, int(channels), int(filters), int(height), int(width));
}
