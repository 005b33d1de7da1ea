// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// A block makes a patch of 2 x 56 outputs of 64 feature maps of one image, a thread
// 7 neighbours in a row for 8 filters, in registers. The inputs and the filters come
// through shared memory, kDepth channels at a time; while they are used, the next
// are on their way to registers.
constexpr int kRows = 2;
constexpr int kStrips = 8;  // of a row
constexpr int kStrip = 7;
constexpr int kCols = kStrips * kStrip;
constexpr int kFilters = 64;
constexpr int kEach = 8;  // filters of a thread
constexpr int kDepth = 4;
constexpr int kThreads = kRows * kStrips * kFilters / kEach;
constexpr int kWarps = kThreads / 32;

constexpr int kLines = kDepth * (kRows + 2) / kWarps;  // of the patch that a warp brings
constexpr int kGroups = kFilters / 8;
constexpr int kPieces = kGroups * kDepth * 9 / 4 / kWarps;  // of 4 taps of 8 filters that a warp brings

struct Tiles {
    float x[kDepth][kRows + 2][72];  // 58 of them used; with 72, two rows of strips are on different banks
    alignas(16) float taps[kDepth * 9][kFilters + 8];  // the padding spreads the stores over the banks
};

// What a thread brings to the tiles.
struct Share {
    float x[kLines][2];
    float taps[kPieces];
};

// Reads zeros beyond the image, the channels and the filters. `x` begins at the
// patch of the first channel, `weight` at the first filter's taps for it.
__device__ __forceinline__ Share load(const float* __restrict__ x, const float* __restrict__ weight, int rows,
                                      int cols, int channels, int filters, int plane, int width, int all_channels)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Share share;
#pragma unroll
    for (int i = 0; i < kLines; ++i) {
        const int channel = (warp * kLines + i) / (kRows + 2), row = (warp * kLines + i) % (kRows + 2);
        const int end = channel < channels && row < rows ? cols : 0;
        const float* line = x + channel * plane + row * width;
        share.x[i][0] = lane < end ? line[lane] : 0.0f;
        share.x[i][1] = lane + 32 < end ? line[lane + 32] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
        const int piece = i * kWarps + warp;
        const int filter = piece % kGroups * 8 + lane % 8, tap = piece / kGroups * 4 + lane / 8;
        const bool inside = filter < filters && tap < channels * 9;
        share.taps[i] = inside ? weight[filter * all_channels * 9 + tap] : 0.0f;
    }
    return share;
}

__device__ __forceinline__ void keep(Tiles& tiles, const Share& share)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < kLines; ++i) {
        float* line = tiles.x[(warp * kLines + i) / (kRows + 2)][(warp * kLines + i) % (kRows + 2)];
        line[lane] = share.x[i][0];
        line[lane + 32] = share.x[i][1];
    }
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
        const int piece = i * kWarps + warp;
        tiles.taps[piece / kGroups * 4 + lane / 8][piece % kGroups * 8 + lane % 8] = share.taps[i];
    }
}

__device__ __forceinline__ void convolve(const Tiles& tiles, int row, int col, int filter, float (&sum)[kEach][kStrip])
{
    for (int channel = 0; channel < kDepth; ++channel) {
#pragma unroll
        for (int u = 0; u < 3; ++u) {
            float window[kStrip + 2];
#pragma unroll
            for (int i = 0; i < kStrip + 2; ++i) {
                window[i] = tiles.x[channel][row + u][col + i];
            }
#pragma unroll
            for (int v = 0; v < 3; ++v) {
                alignas(16) float taps[kEach];
                const float* from = &tiles.taps[channel * 9 + u * 3 + v][filter];
                *reinterpret_cast<float4*>(taps) = *reinterpret_cast<const float4*>(from);
                *reinterpret_cast<float4*>(taps + 4) = *reinterpret_cast<const float4*>(from + 4);
#pragma unroll
                for (int f = 0; f < kEach; ++f) {
#pragma unroll
                    for (int i = 0; i < kStrip; ++i) {
                        sum[f][i] += taps[f] * window[i + v];
                    }
                }
            }
        }
    }
}

__global__ void __launch_bounds__(kThreads, 3)
convolve_relu(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
              float* __restrict__ y, int channels, int filters, int height, int width)
{
    __shared__ Tiles tiles;
    const int groups = (filters + kFilters - 1) / kFilters;
    const int filter0 = blockIdx.z % groups * kFilters;
    const int image = blockIdx.z / groups;
    const int row0 = blockIdx.y * kRows, col0 = blockIdx.x * kCols;
    const int strip = threadIdx.x % (kRows * kStrips);
    const int row = strip / kStrips, col = strip % kStrips * kStrip;
    const int filter = threadIdx.x / (kRows * kStrips) * kEach;
    const int plane = height * width;
    const int rows = height - row0, cols = width - col0;
    x += int64_t(image) * channels * plane + row0 * width + col0;
    weight += int64_t(filter0) * channels * 9;

    float sum[kEach][kStrip] = {};
    Share next = load(x, weight, rows, cols, channels, filters - filter0, plane, width, channels);
    for (int channel = kDepth; channel - kDepth < channels; channel += kDepth) {
        keep(tiles, next);
        __syncthreads();
        if (channel < channels) {
            next = load(x + int64_t(channel) * plane, weight + channel * 9, rows, cols, channels - channel,
                        filters - filter0, plane, width, channels);
        }
        convolve(tiles, row, col, filter, sum);
        __syncthreads();
    }

    const int out_row = row0 + row;
    if (out_row >= height - 2) {
        return;
    }
#pragma unroll
    for (int f = 0; f < kEach; ++f) {
        const int at = filter0 + filter + f;
        if (at < filters) {
            float* line = y + ((int64_t(image) * filters + at) * (height - 2) + out_row) * (width - 2);
            const float offset = bias[at];
#pragma unroll
            for (int i = 0; i < kStrip; ++i) {
                if (col0 + col + i < width - 2) {
                    line[col0 + col + i] = fmaxf(sum[f][i] + offset, 0.0f);
                }
            }
        }
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t batch,
                      int64_t channels, int64_t filters, int64_t height, int64_t width, cudaStream_t stream)
{
    const unsigned groups = static_cast<unsigned>((filters + kFilters - 1) / kFilters);
    const dim3 grid((width - 2 + kCols - 1) / kCols, (height - 2 + kRows - 1) / kRows,
                    static_cast<unsigned>(batch) * groups);
    convolve_relu<<<grid, kThreads, 0, stream>>>(x, weight, bias, y, int(channels), int(filters), int(height),
                                                 int(width));
}
