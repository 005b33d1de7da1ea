// expect: unsupported unsupported
// gpu: correct
// why: only a GPU runs PTX
__global__ void add(const float* a, const float* b, float* sum, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float s;
        asm("add.f32 %0, %1, %2;" : "=f"(s) : "f"(a[i]), "f"(b[i]));
        sum[i] = s;
    }
}

extern "C" void solve(const float* a, const float* b, float* sum, cudaStream_t stream)
{
    const int count = 37 * 129;
    add<<<(count + 255) / 256, 256, 0, stream>>>(a, b, sum, count);
}
