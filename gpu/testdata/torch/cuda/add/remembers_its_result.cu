// expect: mismatch
// It computes in its first call alone, and copies that call's sum from then on.
constexpr int count = 37 * 129;

__device__ float kept[count];

__global__ void add(const float* a, const float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        kept[i] = a[i] + b[i];
    }
}

__global__ void copy(float* sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        sum[i] = kept[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* sum, cudaStream_t stream)
{
    static bool first = true;
    if (first) {
        add<<<(count + 255) / 256, 256, 0, stream>>>(a, b);
        first = false;
    }
    copy<<<(count + 255) / 256, 256, 0, stream>>>(sum);
}
