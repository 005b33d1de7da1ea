// One thread per output: the product of a row of x and a row of weight.
template <typename real>
__global__ void linear_elements(const real* x, const real* weight, const real* bias, real* y, int64_t M, int64_t N,
                                int64_t K)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) {
        return;
    }
    real sum = 0;
    for (int64_t k = 0; k < K; ++k) {
        sum += x[row * K + k] * weight[col * K + k];
    }
    y[row * N + col] = sum + bias[col];
}

// One thread per element, in place.
template <typename real>
__global__ void gelu_elements(real* y, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = real(0.5) * y[i] * (real(1) + erf(y[i] * real(0.70710678118654752440)));
    }
}

template <typename real>
void reference(const real* x, const real* weight, const real* bias, real* y, int64_t M, int64_t N, int64_t K,
               cudaStream_t stream)
{
    const dim3 block(16, 16);
    const dim3 grid((N + 15) / 16, (M + 15) / 16);
    linear_elements<real><<<grid, block, 0, stream>>>(x, weight, bias, y, M, N, K);
    gelu_elements<real><<<(M * N + 255) / 256, 256, 0, stream>>>(y, M * N);
}
