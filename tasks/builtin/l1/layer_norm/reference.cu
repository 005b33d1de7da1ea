// One kernel per step of the formula: mean, variance around it, the normalized
// elements, weight and bias. A row is one thread's, or an element is.

template <typename real>
__global__ void find_mean(const real* x, real* mean, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    real sum = 0;
    for (int64_t col = 0; col < cols; ++col) {
        sum += x[row * cols + col];
    }
    mean[row] = sum / real(cols);
}

template <typename real>
__global__ void find_variance(const real* x, const real* mean, real* variance, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    real sum = 0;
    for (int64_t col = 0; col < cols; ++col) {
        const real distance = x[row * cols + col] - mean[row];
        sum += distance * distance;
    }
    variance[row] = sum / real(cols);
}

template <typename real>
__global__ void normalize(const real* x, const real* mean, const real* variance, real* y, int64_t rows, int64_t cols)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        const int64_t row = i / cols;
        y[i] = (x[i] - mean[row]) / sqrt(variance[row] + real(1e-5));
    }
}

template <typename real>
__global__ void scale_and_shift(const real* weight, const real* bias, real* y, int64_t rows, int64_t cols)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        const int64_t col = i % cols;
        y[i] = y[i] * weight[col] + bias[col];
    }
}

template <typename real>
void reference(const real* x, const real* weight, const real* bias, real* y, int64_t rows, int64_t cols,
               cudaStream_t stream)
{
    const int block = 256;
    const int64_t row_blocks = (rows + block - 1) / block;
    const int64_t element_blocks = (rows * cols + block - 1) / block;
    real* mean = nullptr;
    real* variance = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&mean), rows * sizeof(real), stream);
    cudaMallocAsync(reinterpret_cast<void**>(&variance), rows * sizeof(real), stream);
    find_mean<real><<<row_blocks, block, 0, stream>>>(x, mean, rows, cols);
    find_variance<real><<<row_blocks, block, 0, stream>>>(x, mean, variance, rows, cols);
    normalize<real><<<element_blocks, block, 0, stream>>>(x, mean, variance, y, rows, cols);
    scale_and_shift<real><<<element_blocks, block, 0, stream>>>(weight, bias, y, rows, cols);
    cudaFreeAsync(variance, stream);
    cudaFreeAsync(mean, stream);
}
