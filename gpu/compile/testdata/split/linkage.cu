namespace {
struct Range { int first, last; };
__constant__ float weights[4];
__global__ void hidden(Range r, float* y) { y[r.first] = weights[r.last]; }
}
static __constant__ int offset;
static __device__ float total = 0.0f;
static __global__ void sum(const float* x) { atomicAdd(&total, x[threadIdx.x + offset]); }
extern "C" __global__ void exported(float* y) { y[0] = total; }
extern "C" {
__global__ void also_exported(float* y) { y[1] = total; }
static inline void plain_c(float* y) { exported<<<1, 1>>>(y); }
}
inline __global__ void marked(float*, int = 3) {}

void solve(const float* x, float* y, cudaStream_t stream)
{
    int zero = 0;
    cudaMemcpyToSymbol(offset, &zero, sizeof zero);
    cudaMemcpyToSymbolAsync(weights, x, sizeof weights, 0, cudaMemcpyDefault, stream);
    sum<<<1, 32, 0, stream>>>(x);
    hidden<<<1, 1>>>({0, 1}, y);
    marked<<<1, 1>>>(y);
    plain_c(y);
}
