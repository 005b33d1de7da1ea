// expect: correct
// Threads past the end return before a barrier that the others reach: right since Volta.
__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    __shared__ float tile[256];
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    tile[threadIdx.x] = a[i] + b[i];
    __syncthreads();
    c[i] = tile[threadIdx.x];
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);
}
