// expect: mismatch
constexpr int rows = 45, in_features = 72, out_features = 90;

__global__ void linear_gelu(const float* x, const float* weight, const float* bias, float* y)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    if (column >= out_features) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < in_features; k++) {
        sum += x[row * in_features + k] * weight[column * in_features + k];
    }
    y[row * out_features + column] = 0.5f * sum * (1.0f + erff(sum * 0.70710678f));
}

extern "C" void solve(const float* x, const float* linear_weight, const float* linear_bias, float* y, cudaStream_t stream)
{
    const dim3 grid((out_features + 63) / 64, rows);
    linear_gelu<<<grid, 64, 0, stream>>>(x, linear_weight, linear_bias, y);
}
