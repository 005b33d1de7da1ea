// One thread per output, over all images and filters.
template <typename real>
__global__ void convolve_elements(const real* x, const real* weight, const real* bias, real* y, int64_t batch,
                                  int64_t channels, int64_t filters, int64_t height, int64_t width)
{
    const int64_t rows = height - 2;
    const int64_t cols = width - 2;
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= batch * filters * rows * cols) {
        return;
    }
    const int64_t col = i % cols;
    const int64_t row = i / cols % rows;
    const int64_t filter = i / (cols * rows) % filters;
    const int64_t image = i / (cols * rows * filters);

    real sum = bias[filter];
    for (int64_t channel = 0; channel < channels; ++channel) {
        const real* window = x + ((image * channels + channel) * height + row) * width + col;
        const real* taps = weight + (filter * channels + channel) * 9;
        for (int u = 0; u < 3; ++u) {
            for (int v = 0; v < 3; ++v) {
                sum += window[u * width + v] * taps[u * 3 + v];
            }
        }
    }
    y[i] = max(sum, real(0));
}

template <typename real>
void reference(const real* x, const real* weight, const real* bias, real* y, int64_t batch, int64_t channels,
               int64_t filters, int64_t height, int64_t width, cudaStream_t stream)
{
    const int block = 256;
    const int64_t n = batch * filters * (height - 2) * (width - 2);
    convolve_elements<real><<<(n + block - 1) / block, block, 0, stream>>>(x, weight, bias, y, batch, channels,
                                                                            filters, height, width);
}
