// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// The bias in constant memory where it fits, copied there on the device.
constexpr int kConstantFilters = 256;
__constant__ float constant_bias[kConstantFilters];

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
    float sum = filters <= kConstantFilters ? constant_bias[filter] : bias[filter];
    for (int channel = 0; channel < channels; ++channel) {
        const float* window = x + (int64_t(image * channels + channel) * height + row) * width + col;
        const float* taps = weight + (filter * channels + channel) * 9;
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            sum = fmaf(window[i / 3 * width + i % 3], taps[i], sum);
        }
    }
    y[(int64_t(blockIdx.z) * (height - 2) + row) * (width - 2) + col] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t batch,
                      int64_t channels, int64_t filters, int64_t height, int64_t width, cudaStream_t stream)
{
    if (filters <= kConstantFilters) {
        cudaMemcpyToSymbolAsync(constant_bias, bias, filters * sizeof(float), 0, cudaMemcpyDeviceToDevice, stream);
    }
    const dim3 block(32, 4);
    const dim3 grid((width - 2 + 31) / 32, (height - 2 + 3) / 4, batch * filters);
    convolve<<<grid, block, 0, stream>>>(x, weight, bias, y, int(channels), int(filters), int(height), int(width));
}
