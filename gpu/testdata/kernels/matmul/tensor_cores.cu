// expect: unsupported
// gpu: mismatch
// why: tensor cores run on a GPU only; TF32 has too few digits for this task
#include <cuda_runtime.h>
#include <mma.h>
#include <cstdint>

// TF32 tensor cores: one warp per 16 x 16 tile. Only whole tiles, and with fewer
// digits than the task asks for.
using namespace nvcuda;

__global__ void matmul(const float* a, const float* b, float* c, int N, int K)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a_part;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b_part;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    const int row = blockIdx.y * 16, col = blockIdx.x * 16;
    for (int k = 0; k + 8 <= K; k += 8) {
        wmma::load_matrix_sync(a_part, a + row * K + k, K);
        wmma::load_matrix_sync(b_part, b + k * N + col, N);
        wmma::mma_sync(sum, a_part, b_part, sum);
    }
    wmma::store_matrix_sync(c + row * N + col, sum, N, wmma::mem_row_major);
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    matmul<<<dim3(N / 16, M / 16), 32, 0, stream>>>(a, b, c, int(N), int(K));
}
