// One thread per row.
template <typename real>
__global__ void sum_rows(const real* x, real* total, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    real sum = 0;
    for (int64_t col = 0; col < cols; ++col) {
        sum += x[row * cols + col];
    }
    total[row] = sum;
}

// One thread per row.
template <typename real>
__global__ void find_largest(const real* x, int64_t* index, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    int64_t best = 0;
    for (int64_t col = 1; col < cols; ++col) {
        if (x[row * cols + col] > x[row * cols + best]) {
            best = col;
        }
    }
    index[row] = best;
}

template <typename real>
void reference(const real* x, real* total, int64_t* index, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const int block = 256;
    const int64_t grid = (rows + block - 1) / block;
    sum_rows<real><<<grid, block, 0, stream>>>(x, total, rows, cols);
    find_largest<real><<<grid, block, 0, stream>>>(x, index, rows, cols);
}
