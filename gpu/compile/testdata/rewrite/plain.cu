__global__ void scale(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}

void run(float* y, const float* x, int n, cudaStream_t stream) {
    scale<<<(n + 255) / 256, 256, 0, stream>>>(y, x, 2.0f, n);
}
