#include <cuda_runtime.h>
#include <mutex>
#include <vector>

using Sizes = std::vector<int>;   // of the host alone

struct Workspace {
    std::vector<float*> blocks;
    ~Workspace() { for (float* b : blocks) cudaFree(b); }
};

static Workspace workspace;
static std::mutex guard;
static float* scratch = nullptr;
static int calls = 0;
constexpr int half_of(int n) { return n / 2; }
constexpr int kBlock = 128;
const float kScale = 0.5f;
static int ceilDiv(int a, int b) { return (a + b - 1) / b; }
static const int kGrid = ceilDiv(64, 3);
static const int kHalf = half_of(64);


__global__ void scale(float* y, int n)
{
    int i = blockIdx.x * kBlock + threadIdx.x;  // one element each
    if (i < half_of(n)) y[i] *= kScale;
}

void run(float* y, int n, const Sizes& sizes, cudaStream_t stream)
{
    scale<<<ceilDiv(n, kBlock), kBlock, 0, stream>>>(y, n);
}
