__global__ void bytes(float* y) {
    extern __shared__ __align__(16) unsigned char smem[];
    float* a = reinterpret_cast<float*>(smem);
    a[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = a[threadIdx.x];
}
__global__ void floats(float* y) {
    extern __shared__ float values[];
    values[threadIdx.x] = 1;
    y[threadIdx.x] = values[threadIdx.x];
}
__global__ void rows(float* y) {
    extern __shared__ float2 grid[][8];
    grid[threadIdx.x][0].x = 1;
    y[threadIdx.x] = grid[threadIdx.x][0].x;
}
template <typename T>
__global__ void any(T* y) {
    __shared__ extern T tile[];
    tile[threadIdx.x] = T(2);
    y[threadIdx.x] = tile[threadIdx.x];
}
void run(float* y) {
    bytes<<<1, 32, 32 * sizeof(float)>>>(y);
    floats<<<1, 32, 32 * sizeof(float)>>>(y);
    rows<<<1, 32, 32 * sizeof(float2) * 8>>>(y);
    any<float><<<1, 32, 32 * sizeof(float)>>>(y);
}
