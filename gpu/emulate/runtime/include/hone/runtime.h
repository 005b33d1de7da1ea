// The host API of the CUDA runtime. Everything is synchronous: a launch or copy
// has happened when the call returns, whatever the stream.
#ifndef HONE_RUNTIME_H
#define HONE_RUNTIME_H

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
    cudaMemcpyDefault
};

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;

#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };
enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitPersistingL2CacheSize = 6
};
enum cudaSharedmemCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
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
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

// The figures of an H100-class device, so that code which sizes its launches by
// them takes the path it would take there.
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major, minor;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int concurrentKernels;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int maxBlocksPerMultiProcessor;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

// What the emulator does for the functions below. Memory is of one of these kinds.
namespace hone {
enum class MemoryKind { device, managed, pinned };
}
HONE_EMULATOR cudaError_t hone_allocate(void** address, size_t bytes, hone::MemoryKind kind, int line);
HONE_EMULATOR cudaError_t hone_free(void* address, hone::MemoryKind kind, int line);
HONE_EMULATOR cudaError_t hone_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, int line);
HONE_EMULATOR cudaError_t hone_copy_symbol(void* to, const void* from, size_t symbol_bytes, size_t offset,
                                           size_t bytes, int line);
HONE_EMULATOR cudaError_t hone_fill(void* address, int value, size_t bytes, int line);
HONE_EMULATOR cudaError_t hone_limit_shared(const void* function, int bytes, int line);

HONE_EMULATOR cudaError_t cudaGetLastError();
HONE_EMULATOR cudaError_t cudaPeekAtLastError();
HONE_EMULATOR const char* cudaGetErrorName(cudaError_t error);
HONE_EMULATOR const char* cudaGetErrorString(cudaError_t error);
HONE_EMULATOR cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
HONE_EMULATOR cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
HONE_EMULATOR cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
HONE_EMULATOR cudaError_t cudaEventCreate(cudaEvent_t* event);
HONE_EMULATOR cudaError_t cudaEventDestroy(cudaEvent_t event);
HONE_EMULATOR cudaError_t hone_record(cudaEvent_t event);
HONE_EMULATOR cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
HONE_EMULATOR cudaError_t cudaStreamCreate(cudaStream_t* stream);

template <class T>
HONE_INLINE cudaError_t cudaMalloc(T** address, size_t bytes, HONE_LINE) {
    return hone_allocate(reinterpret_cast<void**>(address), bytes, hone::MemoryKind::device, line);
}
template <class T>
HONE_INLINE cudaError_t cudaMallocAsync(T** address, size_t bytes, cudaStream_t, HONE_LINE) {
    return hone_allocate(reinterpret_cast<void**>(address), bytes, hone::MemoryKind::device, line);
}
template <class T>
HONE_INLINE cudaError_t cudaMallocManaged(T** address, size_t bytes, unsigned = cudaMemAttachGlobal,
                                          HONE_LINE) {
    return hone_allocate(reinterpret_cast<void**>(address), bytes, hone::MemoryKind::managed, line);
}
template <class T>
HONE_INLINE cudaError_t cudaMallocHost(T** address, size_t bytes, unsigned = 0, HONE_LINE) {
    return hone_allocate(reinterpret_cast<void**>(address), bytes, hone::MemoryKind::pinned, line);
}
template <class T>
HONE_INLINE cudaError_t cudaHostAlloc(T** address, size_t bytes, unsigned, HONE_LINE) {
    return hone_allocate(reinterpret_cast<void**>(address), bytes, hone::MemoryKind::pinned, line);
}
HONE_INLINE cudaError_t cudaFree(void* address, HONE_LINE) {
    return hone_free(address, hone::MemoryKind::device, line);
}
HONE_INLINE cudaError_t cudaFreeAsync(void* address, cudaStream_t, HONE_LINE) {
    return hone_free(address, hone::MemoryKind::device, line);
}
HONE_INLINE cudaError_t cudaFreeHost(void* address, HONE_LINE) {
    return hone_free(address, hone::MemoryKind::pinned, line);
}

HONE_INLINE cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, HONE_LINE) {
    return hone_copy(to, from, bytes, kind, line);
}
HONE_INLINE cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                        cudaStream_t = nullptr, HONE_LINE) {
    return hone_copy(to, from, bytes, kind, line);
}
// hone_copy_rows copies height rows of width bytes, which lie pitch bytes apart.
inline cudaError_t hone_copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                  size_t width, size_t height, cudaMemcpyKind kind, int line) {
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = hone_copy(static_cast<char*>(to) + row * to_pitch,
                                      static_cast<const char*>(from) + row * from_pitch, width, kind, line);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, HONE_LINE) {
    return hone_copy_rows(to, to_pitch, from, from_pitch, width, height, kind, line);
}
HONE_INLINE cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                          size_t width, size_t height, cudaMemcpyKind kind,
                                          cudaStream_t = nullptr, HONE_LINE) {
    return hone_copy_rows(to, to_pitch, from, from_pitch, width, height, kind, line);
}
HONE_INLINE cudaError_t cudaMemset(void* address, int value, size_t bytes, HONE_LINE) {
    return hone_fill(address, value, bytes, line);
}
HONE_INLINE cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes, cudaStream_t = nullptr,
                                        HONE_LINE) {
    return hone_fill(address, value, bytes, line);
}
template <class T>
HONE_INLINE cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind = cudaMemcpyHostToDevice, HONE_LINE) {
    return hone_copy_symbol((void*)&symbol, from, sizeof(T), offset, bytes, line);
}
template <class T>
HONE_INLINE cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, size_t bytes, size_t offset,
                                                cudaMemcpyKind, cudaStream_t = nullptr, HONE_LINE) {
    return hone_copy_symbol((void*)&symbol, from, sizeof(T), offset, bytes, line);
}
template <class T>
HONE_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind = cudaMemcpyDeviceToHost, HONE_LINE) {
    if (offset + bytes > sizeof(T)) return hone_copy_symbol(nullptr, nullptr, sizeof(T), offset, bytes, line);
    return hone_copy(to, reinterpret_cast<const char*>(&symbol) + offset, bytes, cudaMemcpyDefault, line);
}
template <class T>
HONE_INLINE cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
    *address = (void*)&symbol;
    return cudaSuccess;
}
template <class T>
HONE_INLINE cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr) {
    return cudaSuccess;
}

HONE_INLINE cudaError_t cudaDeviceSynchronize() {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaDeviceReset() {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
HONE_INLINE cudaError_t cudaGetDevice(int* device) {
    return *device = 0, cudaSuccess;
}
HONE_INLINE cudaError_t cudaRuntimeGetVersion(int* version) {
    return *version = CUDART_VERSION, cudaSuccess;
}
HONE_INLINE cudaError_t cudaDriverGetVersion(int* version) {
    return *version = CUDA_VERSION, cudaSuccess;
}
HONE_INLINE cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return *least = *greatest = 0, cudaSuccess;
}
HONE_INLINE cudaError_t cudaGetDeviceCount(int* count) {
    return *count = 1, cudaSuccess;
}

HONE_INLINE cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    return cudaStreamCreate(stream);
}
HONE_INLINE cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
    return cudaStreamCreate(stream);
}
HONE_INLINE cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaStreamQuery(cudaStream_t) {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    return cudaEventCreate(event);
}
HONE_INLINE cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr) {
    return hone_record(event);
}
HONE_INLINE cudaError_t cudaEventSynchronize(cudaEvent_t) {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaEventQuery(cudaEvent_t) {
    return cudaSuccess;
}

template <class F>
HONE_INLINE cudaError_t cudaFuncSetAttribute(F* function, cudaFuncAttribute attribute, int value, HONE_LINE) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    return hone_limit_shared((const void*)function, value, line);
}
template <class F>
HONE_INLINE cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
    return cudaSuccess;
}
// The figures of a kernel that needs little: the emulation knows none of its registers.
template <class F>
HONE_INLINE cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F*) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = 48 << 10;
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
    return cudaSuccess;
}

// Occupancy by threads and shared memory alone: the emulation knows no registers.
template <class F>
HONE_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F*, int block_size,
                                                                      size_t shared_bytes) {
    if (block_size < 1) return cudaErrorInvalidValue;
    int by_threads = 2048 / ((block_size + 31) / 32 * 32);
    int by_shared = int(233472 / (shared_bytes + 1024));
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    if (*blocks > 32) *blocks = 32;
    return cudaSuccess;
}
template <class F>
HONE_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F*, size_t = 0,
                                                           int limit = 0) {
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = 132 * (2048 / *block);
    return cudaSuccess;
}

#endif
