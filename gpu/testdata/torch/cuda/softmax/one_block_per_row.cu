// expect: correct
constexpr int rows = 61, cols = 257, threads = 128;

__device__ float over_block(float value, bool largest)
{
    __shared__ float parts[threads / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_xor_sync(0xFFFFFFFFu, value, offset);
        value = largest ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = parts[0];
    for (int i = 1; i < threads / 32; i++) {
        value = largest ? fmaxf(value, parts[i]) : value + parts[i];
    }
    return value;
}

__global__ void softmax(const float* x, float* y)
{
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float top = x[0];
    for (int i = threadIdx.x; i < cols; i += threads) {
        top = fmaxf(top, x[i]);
    }
    top = over_block(top, true);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += threads) {
        sum += expf(x[i] - top);
    }
    sum = over_block(sum, false);
    for (int i = threadIdx.x; i < cols; i += threads) {
        y[i] = expf(x[i] - top) / sum;
    }
}

extern "C" void solve(const float* x, float* y, cudaStream_t stream)
{
    softmax<<<rows, threads, 0, stream>>>(x, y);
}
