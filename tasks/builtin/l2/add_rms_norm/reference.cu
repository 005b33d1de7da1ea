// The type that sums are taken in: double for double, float for float and for
// the 16-bit types.
template <int bytes>
struct wide {
    using type = float;
};

template <>
struct wide<8> {
    using type = double;
};

// One thread per row: adds the residual and takes the mean of the squares.
template <typename real, typename sum_type>
__global__ void add_rows(const real* x, const real* residual, real* hidden, sum_type* squares, int64_t rows,
                         int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    sum_type sum = 0;
    for (int64_t i = row * cols; i < (row + 1) * cols; ++i) {
        hidden[i] = real(sum_type(x[i]) + sum_type(residual[i]));
        sum += sum_type(hidden[i]) * sum_type(hidden[i]);
    }
    squares[row] = sum / sum_type(cols);
}

// One thread per element.
template <typename real, typename sum_type>
__global__ void normalize_elements(const real* hidden, const real* weight, const sum_type* squares, real* y,
                                   int64_t rows, int64_t cols)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        const sum_type root = sqrt(squares[i / cols] + sum_type(1e-5));
        y[i] = real(sum_type(hidden[i]) / root * sum_type(weight[i % cols]));
    }
}

template <typename real>
void reference(const real* x, const real* residual, const real* weight, real* hidden, real* y, int64_t rows,
               int64_t cols, cudaStream_t stream)
{
    using sum_type = typename wide<sizeof(real)>::type;
    const int block = 256;
    sum_type* squares = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&squares), rows * sizeof(sum_type), stream);
    add_rows<real, sum_type>
        <<<(rows + block - 1) / block, block, 0, stream>>>(x, residual, hidden, squares, rows, cols);
    normalize_elements<real, sum_type>
        <<<(rows * cols + block - 1) / block, block, 0, stream>>>(hidden, weight, squares, y, rows, cols);
    cudaFreeAsync(squares, stream);
}
