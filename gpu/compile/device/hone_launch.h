// CUDA C++ for the host part of a kernel.cu whose device part is compiled apart.
//
// Kernels are functions that pass their parameters to the table of hone_api.h;
// k<<<c>>>(a) is "configure(c) ? (void)0 : k(a)", so that overloads, deduction,
// conversions and pointers to kernels work as in CUDA. A device variable has a
// stand-in of the same type, known by its address.
#ifndef HONE_LAUNCH_H
#define HONE_LAUNCH_H

// The C headers themselves take half the time of libstdc++'s wrappers, which bring
// the overloads and the std that CUDA's own headers bring.
#ifndef HONE_WITH_STD
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#endif
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hone_api.h"
#include "hone_vector.h"
#include "hone_narrow.h"

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000

#define __global__ inline
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorAssert = 710,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotPermitted = 800,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999,
};
typedef cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;

#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };
enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual,
};
enum cudaSharedmemCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100,
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108,
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor,
        sharedMemPerBlockOptin;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int clockRate, major, minor, multiProcessorCount, concurrentKernels, memoryClockRate, memoryBusWidth;
    int l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, regsPerMultiprocessor;
    int managedMemory, cooperativeLaunch, maxBlocksPerMultiProcessor;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

namespace hone {

inline const hone_api* api;

// Launches nest where an argument of one makes another.
constexpr int deepest = 8;
inline thread_local hone_config pending[deepest];
inline thread_local int depth;

// configure lives as long as the expression that is a launch, so that nothing is left
// pending where an argument throws. It is true where the launch is not to be made.
class configure {
  public:
    configure(unsigned site, dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
        if (before_ == deepest) return;
        pending[depth++] = {site, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, stream,
                            0};
    }
    configure(const configure&) = delete;
    configure& operator=(const configure&) = delete;
    ~configure() { depth = before_; }
    explicit operator bool() const { return before_ == deepest; }

  private:
    int before_ = depth;
};

// stub is the body of every kernel on the host. Called as an ordinary function,
// without a launch, a kernel does nothing.
template <class... P>
inline void stub(const hone_kernel& kernel, const P&... parameters) {
    if (depth == 0) return;
    void* arguments[] = {
        const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(parameters)))..., nullptr};
    const size_t sizes[] = {sizeof(P)..., 0};
    api->launch(&kernel, &pending[--depth], arguments, sizes, sizeof...(P));
}

inline cudaError_t error(int code) {
    return static_cast<cudaError_t>(code);
}

template <class F>
inline const void* address(F* kernel) {
    return reinterpret_cast<const void*>(kernel);
}

inline int device(cudaDeviceAttr attribute) {
    int value = 0;
    api->device_attribute(&value, attribute);
    return value;
}

}  // namespace hone

// hone_bind takes the process's table; it must be called before anything else.
extern "C" int hone_bind(const hone_api* table) {
    if (table->version != HONE_API_VERSION || table->size < sizeof(hone_api)) return cudaErrorNotSupported;
    hone::api = table;
    return cudaSuccess;
}

inline cudaError_t cudaGetLastError() {
    return hone::error(hone::api->last_error(1));
}
inline cudaError_t cudaPeekAtLastError() {
    return hone::error(hone::api->last_error(0));
}
inline const char* cudaGetErrorName(cudaError_t error) {
    return hone::api->error_name(error);
}
inline const char* cudaGetErrorString(cudaError_t error) {
    return hone::api->error_text(error);
}

template <class T>
inline cudaError_t cudaMalloc(T** address, size_t bytes) {
    return hone::error(
        hone::api->allocate(reinterpret_cast<void**>(address), bytes, HONE_DEVICE, nullptr, 0));
}
template <class T>
inline cudaError_t cudaMallocAsync(T** address, size_t bytes, cudaStream_t stream) {
    return hone::error(hone::api->allocate(reinterpret_cast<void**>(address), bytes, HONE_DEVICE, stream, 1));
}
template <class T>
inline cudaError_t cudaMallocManaged(T** address, size_t bytes, unsigned = cudaMemAttachGlobal) {
    return hone::error(
        hone::api->allocate(reinterpret_cast<void**>(address), bytes, HONE_MANAGED, nullptr, 0));
}
template <class T>
inline cudaError_t cudaMallocHost(T** address, size_t bytes, unsigned = 0) {
    return hone::error(
        hone::api->allocate(reinterpret_cast<void**>(address), bytes, HONE_PINNED, nullptr, 0));
}
template <class T>
inline cudaError_t cudaHostAlloc(T** address, size_t bytes, unsigned) {
    return cudaMallocHost(address, bytes);
}
inline cudaError_t cudaFree(void* address) {
    return hone::error(hone::api->release(address, HONE_DEVICE, nullptr, 0));
}
inline cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
    return hone::error(hone::api->release(address, HONE_DEVICE, stream, 1));
}
inline cudaError_t cudaFreeHost(void* address) {
    return hone::error(hone::api->release(address, HONE_PINNED, nullptr, 0));
}

inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return hone::error(hone::api->copy(to, from, bytes, kind, nullptr, 0));
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr) {
    return hone::error(hone::api->copy(to, from, bytes, kind, stream, 1));
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t rows, cudaMemcpyKind kind) {
    return hone::error(hone::api->copy_rows(to, to_pitch, from, from_pitch, width, rows, kind, nullptr, 0));
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                     size_t width, size_t rows, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr) {
    return hone::error(hone::api->copy_rows(to, to_pitch, from, from_pitch, width, rows, kind, stream, 1));
}
inline cudaError_t cudaMemset(void* address, int value, size_t bytes) {
    return hone::error(hone::api->fill(address, value, bytes, nullptr, 0));
}
inline cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes, cudaStream_t stream = nullptr) {
    return hone::error(hone::api->fill(address, value, bytes, stream, 1));
}
inline cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    return hone::error(hone::api->memory_info(free, total));
}
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr) {
    return cudaSuccess;
}

template <class T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
    size_t bytes;
    return hone::error(hone::api->symbol(__builtin_addressof(symbol), address, &bytes));
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    void* address;
    return hone::error(hone::api->symbol(__builtin_addressof(symbol), &address, bytes));
}

namespace hone {

// copy_symbol copies between a part of a device variable and other memory.
template <class T>
inline cudaError_t copy_symbol(const T& symbol, size_t offset, void* to, const void* from, size_t bytes,
                               cudaMemcpyKind kind, cudaStream_t stream, int asynchronous) {
    void* place;
    size_t size;
    if (int code = api->symbol(__builtin_addressof(symbol), &place, &size)) return error(code);
    if (bytes > size || offset > size - bytes) return cudaErrorInvalidValue;
    char* part = static_cast<char*>(place) + offset;
    return error(api->copy(to ? to : part, to ? part : from, bytes, kind, stream, asynchronous));
}

}  // namespace hone

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return hone::copy_symbol(symbol, offset, nullptr, from, bytes, kind, nullptr, 0);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return hone::copy_symbol(symbol, offset, nullptr, from, bytes, kind, stream, 1);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return hone::copy_symbol(symbol, offset, to, nullptr, bytes, kind, nullptr, 0);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return hone::copy_symbol(symbol, offset, to, nullptr, bytes, kind, stream, 1);
}

// The process shows the object one device.
inline cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
inline cudaError_t cudaGetDevice(int* device) {
    return *device = 0, cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
    return *count = 1, cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
    return hone::error(hone::api->device_synchronize());
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    return hone::error(hone::api->device_attribute(value, attribute));
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
    *p = {};
    size_t free;
    hone::api->device_name(p->name, sizeof p->name);
    hone::api->memory_info(&free, &p->totalGlobalMem);
    p->sharedMemPerBlock = size_t(hone::device(cudaDevAttrMaxSharedMemoryPerBlock));
    p->sharedMemPerBlockOptin = size_t(hone::device(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    p->sharedMemPerMultiprocessor = size_t(hone::device(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    p->totalConstMem = size_t(hone::device(cudaDevAttrTotalConstantMemory));
    p->regsPerBlock = hone::device(cudaDevAttrMaxRegistersPerBlock);
    p->regsPerMultiprocessor = hone::device(cudaDevAttrMaxRegistersPerMultiprocessor);
    p->warpSize = hone::device(cudaDevAttrWarpSize);
    p->maxThreadsPerBlock = hone::device(cudaDevAttrMaxThreadsPerBlock);
    p->maxThreadsPerMultiProcessor = hone::device(cudaDevAttrMaxThreadsPerMultiProcessor);
    p->maxBlocksPerMultiProcessor = hone::device(cudaDevAttrMaxBlocksPerMultiprocessor);
    for (int i = 0; i < 3; ++i) {
        p->maxThreadsDim[i] = hone::device(cudaDeviceAttr(cudaDevAttrMaxBlockDimX + i));
        p->maxGridSize[i] = hone::device(cudaDeviceAttr(cudaDevAttrMaxGridDimX + i));
    }
    p->clockRate = hone::device(cudaDevAttrClockRate);
    p->memoryClockRate = hone::device(cudaDevAttrMemoryClockRate);
    p->memoryBusWidth = hone::device(cudaDevAttrGlobalMemoryBusWidth);
    p->l2CacheSize = hone::device(cudaDevAttrL2CacheSize);
    p->persistingL2CacheMaxSize = hone::device(cudaDevAttrMaxPersistingL2CacheSize);
    p->major = hone::device(cudaDevAttrComputeCapabilityMajor);
    p->minor = hone::device(cudaDevAttrComputeCapabilityMinor);
    p->multiProcessorCount = hone::device(cudaDevAttrMultiProcessorCount);
    p->concurrentKernels = hone::device(cudaDevAttrConcurrentKernels);
    p->managedMemory = hone::device(cudaDevAttrManagedMemory);
    p->cooperativeLaunch = hone::device(cudaDevAttrCooperativeLaunch);
    return cudaSuccess;
}

inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return hone::error(hone::api->stream_create(reinterpret_cast<void**>(stream), flags, priority));
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, 0);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return hone::error(hone::api->stream_destroy(stream));
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return hone::error(hone::api->stream_synchronize(stream));
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return hone::error(hone::api->stream_query(stream));
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
    return hone::error(hone::api->stream_wait(stream, event, flags));
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return hone::error(hone::api->event_create(reinterpret_cast<void**>(event), flags));
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = 0) {
    return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return hone::error(hone::api->event_destroy(event));
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    return hone::error(hone::api->event_record(event, stream));
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return hone::error(hone::api->event_synchronize(event));
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    return hone::error(hone::api->event_query(event));
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return hone::error(hone::api->event_elapsed(milliseconds, start, end));
}

template <class F>
inline cudaError_t cudaFuncSetAttribute(F* kernel, cudaFuncAttribute attribute, int value) {
    return hone::error(hone::api->set_attribute(hone::address(kernel), attribute, value));
}
template <class F>
inline cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
    return cudaSuccess;
}
template <class F>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, F* kernel) {
    *a = {};
    int value = 0;
    int code = hone::api->get_attribute(hone::address(kernel), 0, &a->maxThreadsPerBlock);
    if (code == 0 && (code = hone::api->get_attribute(hone::address(kernel), 1, &value)) == 0)
        a->sharedSizeBytes = size_t(value);
    if (code == 0 && (code = hone::api->get_attribute(hone::address(kernel), 3, &value)) == 0)
        a->localSizeBytes = size_t(value);
    if (code == 0) code = hone::api->get_attribute(hone::address(kernel), 4, &a->numRegs);
    if (code == 0) code = hone::api->get_attribute(hone::address(kernel), 8, &a->maxDynamicSharedSizeBytes);
    return hone::error(code);
}
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F* kernel, int block_size,
                                                                 size_t shared_bytes) {
    return hone::error(hone::api->occupancy(hone::address(kernel), blocks, block_size, shared_bytes));
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* kernel,
                                                      size_t shared_bytes = 0, int limit = 0) {
    int most = hone::device(cudaDevAttrMaxThreadsPerBlock), best = 0;
    if (limit > 0 && limit < most) most = limit;
    for (int size = most / 32 * 32; size >= 32; size -= 32) {
        int blocks = 0;
        int code = hone::api->occupancy(hone::address(kernel), &blocks, size, shared_bytes);
        if (code != 0) return hone::error(code);
        if (blocks * size <= best) continue;
        best = blocks * size;
        *block = size;
        *grid = blocks * hone::device(cudaDevAttrMultiProcessorCount);
    }
    return best > 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
}

namespace hone {

inline cudaError_t launch_address(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                  size_t shared_bytes, cudaStream_t stream, int cooperative) {
    hone_config config = {
        HONE_NO_SITE, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, stream,
        cooperative};
    return error(api->launch_address(kernel, &config, arguments));
}

}  // namespace hone

template <class F>
inline cudaError_t cudaLaunchKernel(F* kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    return hone::launch_address(hone::address(kernel), grid, block, arguments, shared_bytes, stream, 0);
}
template <class F>
inline cudaError_t cudaLaunchCooperativeKernel(F* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    return hone::launch_address(hone::address(kernel), grid, block, arguments, shared_bytes, stream, 1);
}

// What CUDA offers on both sides.
inline float rsqrtf(float x) {
    return 1.0f / sqrtf(x);
}
inline double rsqrt(double x) {
    return 1.0 / sqrt(x);
}
#define HONE_LEAST_AND_MOST(T)         \
    inline constexpr T min(T a, T b) { \
        return b < a ? b : a;          \
    }                                  \
    inline constexpr T max(T a, T b) { \
        return a < b ? b : a;          \
    }
HONE_LEAST_AND_MOST(int)
HONE_LEAST_AND_MOST(unsigned)
HONE_LEAST_AND_MOST(long)
HONE_LEAST_AND_MOST(unsigned long)
HONE_LEAST_AND_MOST(long long)
HONE_LEAST_AND_MOST(unsigned long long)
HONE_LEAST_AND_MOST(float)
HONE_LEAST_AND_MOST(double)
#undef HONE_LEAST_AND_MOST

#endif
