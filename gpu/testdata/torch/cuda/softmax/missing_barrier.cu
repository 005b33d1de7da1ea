// expect: mismatch race
// gpu: correct | mismatch
// why: nothing watches accesses on a GPU, where warps may happen to come in the right order
constexpr int rows = 61, cols = 257, threads = 128;

__global__ void softmax(const float* x, float* y)
{
    __shared__ float parts[threads];
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += threads) {
        sum += expf(x[i]);
    }
    parts[threadIdx.x] = sum;
    float all = 0.0f;
    for (int i = 0; i < threads; i++) {
        all += parts[i];
    }
    for (int i = threadIdx.x; i < cols; i += threads) {
        y[i] = expf(x[i]) / all;
    }
}

extern "C" void solve(const float* x, float* y, cudaStream_t stream)
{
    softmax<<<rows, threads, 0, stream>>>(x, y);
}
