// expect: runtime_error out_of_bounds
// gpu: runtime_error
// why: the guards around a tensor, or what lies behind it and nothing backs, tell on a GPU
__global__ void add(const float* a, const float* b, float* sum, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count) {
        sum[i] = i < count ? a[i] + b[i] : 0.0f;
    }
}

extern "C" void solve(const float* a, const float* b, float* sum, cudaStream_t stream)
{
    const int count = 37 * 129;
    add<<<count / 256 + 1, 256, 0, stream>>>(a, b, sum, count);
}
