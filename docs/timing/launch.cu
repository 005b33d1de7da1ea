// Launches a kernel of this folder often, for a profiler to time:
//
//     nvcc -O3 -std=c++17 -arch=native -DKERNEL='"copy.cu"' -o launch launch.cu
//     ncu ... ./launch N ROUNDS LAUNCHES
//
// Each launch has an input and an output of its own out of several, as they rotate
// in an evaluation.
#include KERNEL

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kSets = 4;

static void check(cudaError_t status, const char* what)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        std::exit(1);
    }
}

static float* allocate(const std::vector<float>& values)
{
    float* memory = nullptr;
    const std::size_t bytes = values.size() * sizeof(float);
    check(cudaMalloc(reinterpret_cast<void**>(&memory), bytes), "cudaMalloc");
    check(cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    return memory;
}

int main(int argc, char** argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: launch N ROUNDS LAUNCHES\n");
        return 2;
    }
    const int64_t n = std::atoll(argv[1]), rounds = std::atoll(argv[2]);
    const int launches = std::atoi(argv[3]);

    std::vector<float> values(n);
    unsigned state = 1;
    for (float& v : values) {
        state = state * 1664525u + 1013904223u;
        v = static_cast<float>(state >> 8) / (1 << 24);
    }
    float *x[kSets], *y[kSets];
    for (int set = 0; set < kSets; ++set) {
        x[set] = allocate(values);
        y[set] = allocate(values);
    }
    for (int i = 0; i < launches; ++i) {
        solve(x[i % kSets], y[i % kSets], n, rounds, nullptr);
        check(cudaGetLastError(), "launch");
    }
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}
