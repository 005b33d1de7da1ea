// Kernels that write down the order they run in, and what undefined memory holds.
__device__ int count;
__global__ void threads(int* order) { order[atomicAdd(&count, 1)] = threadIdx.x; }
__global__ void fibers(int* order) {
    order[atomicAdd(&count, 1)] = threadIdx.x;
    __syncthreads();
}
__global__ void blocks(int* seen) { atomicAdd(&seen[blockIdx.x], 1); }
__global__ void undefined(unsigned char* out) {
    typedef unsigned char hone_s_t[4]; hone_s_t& s = ::hone::shared<hone_s_t, struct hone_s_s>("s", 10);
    unsigned char* d = ::hone::dynamic_shared<unsigned char>();
    out[0] = s[3];
    out[1] = d[7];
    s[3] = d[7] = 0;
    out[2] = __shfl_sync(0x1, 0x12345678u, 5) & 0xff;
}
extern "C" void hone_entry(void* const* buffers, const int64_t* dims) {
    int* order = (int*)buffers[0];
    int zero = 0;
    cudaMemcpyToSymbol(count, &zero, sizeof(int));
    unsigned char* memory;
    switch (dims[0]) {
        case 1: ::hone::launch(threads, "threads", 0, 0, ::hone::config(1, 200), [=](auto... a) { threads(a...); })(order); break;
        case 2: ::hone::launch(fibers, "fibers", 0, 1, ::hone::config(1, 200), [=](auto... a) { fibers(a...); })(order); break;
        case 3: ::hone::launch(blocks, "blocks", 0, 0, ::hone::config(200, 1), [=](auto... a) { blocks(a...); })(order); break;
        case 4:
            ::hone::launch(undefined, "undefined", 0, 1, ::hone::config(1, 1, 16), [=](auto... a) { undefined(a...); })((unsigned char*)order);
            cudaMalloc(&memory, 64);
            cudaMemcpy(order + 1, memory + 63, 1, cudaMemcpyDeviceToDevice);
            cudaFree(memory);
            break;
        case 5: printf("printed by the candidate\n"); break;
    }
}
