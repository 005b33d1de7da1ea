template <typename T, int ROWS, int COLUMNS>
struct Tile {
    T at[ROWS][COLUMNS];
};
template <typename T, int N>
__device__ T reduce(T value) {
    __shared__ T partial[N / 32 < 1 ? 1 : N / 32];
    partial[threadIdx.x / 32] = value;
    __syncthreads();
    return partial[0];
}
template <typename T, int BM, int BN, int PAD = 1>
__global__ void k(T* y) {
    __shared__ Tile<T, BM, BN + PAD> tile;
    __shared__ T left[BM][BN + PAD], right[(BM > BN) ? BM : BN];
    __shared__ typename Tile<T, BM, BN>::Missing* unused[1 + (BM == 0)];
    tile.at[threadIdx.x][0] = left[0][0] = right[0] = T(1);
    y[threadIdx.x] = reduce<T, 64>(tile.at[threadIdx.x][0]);
}
template <typename T, int BM, int BN>
__global__ void fine(T* y) {
    __shared__ Tile<T, BM, BN> tile;
    tile.at[0][0] = reduce<T, BM>(T(1));
    if (BM > 8) { __shared__ T extra[BM]; extra[0] = tile.at[0][0]; y[1] = extra[0]; }
    y[0] = tile.at[0][0];
}
void run(float* y) { fine<float, 16, 8><<<1, 32>>>(y); }
