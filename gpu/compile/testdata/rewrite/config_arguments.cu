__global__ void k(int* y) { y[threadIdx.x] = 1; }

void run(int* y, cudaStream_t stream) {
    k<<<1, 32>>>(y);
    k<<<1, 32, 64>>>(y);
    k<<<1, 32, 64, stream>>>(y);
    k<<<dim3(2, 3), dim3{8, 4, 1}, sizeof(float) * (1 << 4), 0>>>(y);
    k<<<{2, 1, 1}, 32>>>(y);
    k<<<1 << 2, 128 >> 1>>>(y);
    k <<< 1, 32 >>> (y);
}
