// One thread per element.
template <typename real>
__global__ void gelu_elements(const real* x, real* y, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = real(0.5) * x[i] * (real(1) + erf(x[i] * real(0.70710678118654752440)));
    }
}

template <typename real>
void reference(const real* x, real* y, int64_t n, cudaStream_t stream)
{
    const int block = 256;
    const int64_t grid = (n + block - 1) / block;
    gelu_elements<real><<<grid, block, 0, stream>>>(x, y, n);
}
