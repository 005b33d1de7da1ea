#include <signal.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
#include "expect.h"
constexpr int n = 1000;

__global__ void read_beyond(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i < n ? i : 0] = x[i] * 2;  // at: read_beyond
}
__global__ void write_beyond(float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 1;  // at: write_beyond
}
__global__ void write_before(float* y) { y[-1 - int(threadIdx.x)] = 1; }  // at: write_before
__global__ void atomic_beyond(float* y) { atomicAdd(&y[n + threadIdx.x], 1.0f); }  // at: atomic_beyond
__global__ void far_beyond(float* y) { y[10000000 + threadIdx.x] = 1; }  // at: far_beyond
__global__ void null_read(const float* x, float* y) { y[0] = x[threadIdx.x]; }  // at: null_read
__global__ void uses_host(const float* x, float* y) { y[0] = x[threadIdx.x]; }  // at: uses_host
__global__ void copies_beyond(float* y, int bytes) {
    memset(y, 0, bytes);  // at: copies_beyond
}

__global__ void shared_beyond(float* y) {
    typedef float hone_tile_t[32]; hone_tile_t& tile = ::hone::shared<hone_tile_t, struct hone_tile_s>("tile", 29);
    tile[threadIdx.x] = 1;  // at: shared_beyond
    __syncthreads();
    y[0] = tile[0];
}
__global__ void dynamic_beyond(float* y) {
    float* x = ::hone::dynamic_shared<float>();
    x[threadIdx.x] = 1;  // at: dynamic_beyond
    y[0] = 1;
}

__global__ void divergent_lines(float* y) {
    if (threadIdx.x < 40) {
        __syncthreads();  // at: divergent_lines
    } else {
        __syncthreads();
    }
    y[0] = 1;
}
__global__ void barrier_and_warp(float* y) {
    if (threadIdx.x == 3) {
        __syncthreads();
    } else {
        __syncwarp();  // at: barrier_and_warp
    }
    y[0] = 1;
}
__global__ void mask_without_self(float* y) { y[0] = __shfl_sync(0x1, 1.0f, 0); }  // at: mask_without_self
__global__ void traps() { __trap(); }  // at: traps
__global__ void asserts(int i) {
    assert(i != int(threadIdx.x));  // at: asserts
}
__global__ void deep(float* y, int depth) {
    volatile float local[40000];
    local[depth] = y[0];
    y[1] = local[depth];
}
__global__ void throws() { throw std::runtime_error("from a kernel"); }
__global__ void divides(int* y) { y[0] = 100 / y[1]; }  // at: divides
__global__ void empty() {}
__global__ void big_static(float* y) {
    typedef float hone_a_t[20000]; hone_a_t& a = ::hone::shared<hone_a_t, struct hone_a_s>("a", __LINE__);  // at: big_static
    y[0] = a[threadIdx.x];
}

extern "C" void hone_entry(void* const* buffers, const int64_t* dims) {
    float* x = (float*)buffers[0];
    float* y = (float*)buffers[1];
    float host[64] = {};
    float* memory = nullptr;
    switch (dims[0]) {
        case 1: RUN(read_beyond, 0, 4, 256, x, y); break;
        case 2: RUN(write_beyond, 0, 4, 256, y); break;
        case 3: RUN(write_before, 0, 1, 256, y); break;
        case 4: RUN(atomic_beyond, 0, 1, 1, y); break;
        case 5: RUN(far_beyond, 0, 1, 1, y); break;
        case 6: RUN(null_read, 0, 1, 1, nullptr, y); break;
        case 7: RUN(uses_host, 0, 1, 1, host, y); break;
        case 8: RUN(copies_beyond, 0, 1, 1, y, n * 4 + 4); break;
        case 9: RUN(shared_beyond, 1, 1, 64, y); break;
        case 10: ::hone::launch(dynamic_beyond, "dynamic_beyond", 0, 0, ::hone::config(1, 64, 128), [=](auto... a) { dynamic_beyond(a...); })(y); break;
        case 11: RUN(divergent_lines, 1, 1, 64, y); break;
        case 13: RUN(barrier_and_warp, 1, 1, 64, y); break;
        case 14: RUN(mask_without_self, 1, 1, 64, y); break;
        case 15: RUN(traps, 0, 1, 1); break;
        case 16: RUN(asserts, 0, 1, 64, 5); break;
        case 17: RUN(deep, 1, 1, 64, y, 0); break;
        case 18: RUN(throws, 1, 1, 1); break;
        case 19: throw std::runtime_error("from solve");
        case 20: RUN(divides, 0, 1, 1, (int*)y); break;
        case 21: RUN(empty, 0, 1, 2048); break;  // at: too_many_threads
        case 22: cudaMemcpy(x, y, 5000, cudaMemcpyDeviceToDevice); break;  // at: copy_error
        case 23: cudaMalloc(&memory, 100ull << 30); break;  // at: malloc_error
        case 24: host[0] = x[0]; y[0] = host[0]; break;  // at: host_reads_device
        case 25: cudaMalloc(&memory, 400); cudaFree(memory); RUN(empty, 0, 1, 1); RUN(write_before, 0, 1, 1, memory + 1); break;
        case 26: exit(0);
        case 27: _exit(0);
        case 28: abort();
        case 29: RUN(big_static, 1, 1, 32, y); break;
        case 30: { std::vector<char> all(64ull << 30, 1); host[0] = all[dims[0]]; break; }
        case 31: fork(); break;
        case 32: if (system("true") == 0) break; break;
        case 33: execl("/bin/true", "true", nullptr); break;
        case 34: socket(AF_INET, SOCK_STREAM, 0); break;
        case 35: kill(getppid(), SIGTERM); break;
        case 36: { FILE* f = fopen("/tmp/hone-escape", "w"); if (f == nullptr) abort(); fclose(f); break; }
        case 37: { FILE* f = fopen("/etc/passwd", "r"); if (f == nullptr) abort(); fclose(f); break; }
        case 38: { FILE* f = fopen("here", "w"); if (f == nullptr) abort(); for (int i = 0; i < 1 << 24; i++) fputc('x', f); fclose(f); break; }
    }
}
