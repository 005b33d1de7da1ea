// expect: mismatch input_changed
// gpu: runtime_error | mismatch
// why: a GPU maps inputs for reading alone, where its memory can be shared
__global__ void add(float* a, const float* b, float* sum, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        a[i] += b[i];
        sum[i] = a[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* sum, cudaStream_t stream)
{
    const int count = 37 * 129;
    add<<<(count + 255) / 256, 256, 0, stream>>>(const_cast<float*>(a), b, sum, count);
}
