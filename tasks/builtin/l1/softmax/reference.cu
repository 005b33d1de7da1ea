// One thread per row: its largest element, then the sum of its exponentials.
template <typename real>
__global__ void row_statistics(const real* x, real* largest, real* total, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    real top = x[row * cols];
    for (int64_t col = 1; col < cols; ++col) {
        top = max(top, x[row * cols + col]);
    }
    real sum = 0;
    for (int64_t col = 0; col < cols; ++col) {
        sum += exp(x[row * cols + col] - top);
    }
    largest[row] = top;
    total[row] = sum;
}

// One thread per element.
template <typename real>
__global__ void normalize_elements(const real* x, const real* largest, const real* total, real* y, int64_t rows,
                                   int64_t cols)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        const int64_t row = i / cols;
        y[i] = exp(x[i] - largest[row]) / total[row];
    }
}

template <typename real>
void reference(const real* x, real* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const int block = 256;
    real* statistics = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&statistics), 2 * rows * sizeof(real), stream);
    real* largest = statistics;
    real* total = statistics + rows;
    row_statistics<real><<<(rows + block - 1) / block, block, 0, stream>>>(x, largest, total, rows, cols);
    normalize_elements<real><<<(rows * cols + block - 1) / block, block, 0, stream>>>(x, largest, total, y, rows, cols);
    cudaFreeAsync(statistics, stream);
}
