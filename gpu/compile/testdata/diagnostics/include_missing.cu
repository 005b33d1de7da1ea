#include <cuda_runtime.h>
#include <cub_not_there.h>
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {}
