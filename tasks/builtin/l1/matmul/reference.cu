// One thread per element of the product.
template <typename real>
__global__ void multiply_elements(const real* a, const real* b, real* c, int64_t M, int64_t N, int64_t K)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) {
        return;
    }
    real sum = 0;
    for (int64_t k = 0; k < K; ++k) {
        sum += a[row * K + k] * b[k * N + col];
    }
    c[row * N + col] = sum;
}

template <typename real>
void reference(const real* a, const real* b, real* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    const dim3 block(16, 16);
    const dim3 grid((N + 15) / 16, (M + 15) / 16);
    multiply_elements<real><<<grid, block, 0, stream>>>(a, b, c, M, N, K);
}
