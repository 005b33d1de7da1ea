// One thread per element; neighbours read along a row and write down a column.
template <typename real>
__global__ void transpose_elements(const real* x, real* y, int64_t rows, int64_t cols)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        y[col * rows + row] = x[row * cols + col];
    }
}

template <typename real>
void reference(const real* x, real* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const dim3 block(32, 8);
    const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
    transpose_elements<real><<<grid, block, 0, stream>>>(x, y, rows, cols);
}
