#define TILE 16
struct Pair {
    float a, b;
};
__global__ void k(float* y, const float* x) {
    __shared__ float tile[TILE][TILE + 1];
    __shared__ float sum, partial[32], *where;
    __shared__ Pair pairs[4];
    __shared__ struct { int count; float values[3]; } state;
    static __shared__ unsigned long long counter;
    volatile __shared__ float flags[8];
    float __shared__ late[4];
    __shared__ const float* row;
    __shared__ float (*rows)[4];
    int i = threadIdx.x;
    tile[i][0] = x[i]; sum = 0; partial[i] = 1; where = &sum; pairs[0].a = 2;
    state.count = 1; counter = 3; flags[0] = 1; late[0] = 2; row = x; rows = nullptr;
    __syncthreads();
    y[i] = tile[i][0] + sum + partial[i] + *where + sizeof(tile) / sizeof(tile[0]) + row[0] + (rows == nullptr) + late[0];
}
void run(float* y, const float* x) { k<<<1, 32>>>(y, x); }
