// One kernel per step of the formula: the largest element of each row, the
// exponentials, their sum, the quotient. A row is one thread's, or an element is.

template <typename real>
__global__ void find_largest(const real* x, real* largest, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    real top = x[row * cols];
    for (int64_t col = 1; col < cols; ++col) {
        top = max(top, x[row * cols + col]);
    }
    largest[row] = top;
}

template <typename real>
__global__ void exponentiate(const real* x, const real* largest, real* y, int64_t rows, int64_t cols)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        y[i] = exp(x[i] - largest[i / cols]);
    }
}

template <typename real>
__global__ void sum_rows(const real* y, real* total, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    real sum = 0;
    for (int64_t col = 0; col < cols; ++col) {
        sum += y[row * cols + col];
    }
    total[row] = sum;
}

template <typename real>
__global__ void divide(real* y, const real* total, int64_t rows, int64_t cols)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        y[i] /= total[i / cols];
    }
}

template <typename real>
void reference(const real* x, real* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const int block = 256;
    const int64_t row_blocks = (rows + block - 1) / block;
    const int64_t element_blocks = (rows * cols + block - 1) / block;
    real* of_rows = nullptr;  // one number per row: the largest, then the sum
    cudaMallocAsync(reinterpret_cast<void**>(&of_rows), rows * sizeof(real), stream);
    find_largest<real><<<row_blocks, block, 0, stream>>>(x, of_rows, rows, cols);
    exponentiate<real><<<element_blocks, block, 0, stream>>>(x, of_rows, y, rows, cols);
    sum_rows<real><<<row_blocks, block, 0, stream>>>(y, of_rows, rows, cols);
    divide<real><<<element_blocks, block, 0, stream>>>(y, of_rows, rows, cols);
    cudaFreeAsync(of_rows, stream);
}
