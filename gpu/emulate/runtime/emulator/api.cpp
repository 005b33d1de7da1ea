#include "api.h"

#include <mutex>
#include <stdarg.h>
#include <time.h>
#include <vector>

#include "block.h"
#include "fault.h"
#include "launch.h"
#include "memory.h"
#include "module.h"

namespace {

using namespace hone;

struct ErrorText {
    cudaError_t error;
    const char* name;
    const char* text;
};

#define HONE_ERROR(error, text) {error, #error, text}
constexpr ErrorText errors[] = {
    HONE_ERROR(cudaSuccess, "no error"),
    HONE_ERROR(cudaErrorInvalidValue, "invalid argument"),
    HONE_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    HONE_ERROR(cudaErrorInitializationError, "initialization error"),
    HONE_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    HONE_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    HONE_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    HONE_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    HONE_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    HONE_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    HONE_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    HONE_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    HONE_ERROR(cudaErrorNotReady, "device not ready"),
    HONE_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    HONE_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    HONE_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    HONE_ERROR(cudaErrorAssert, "device-side assert triggered"),
    HONE_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    HONE_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    HONE_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    HONE_ERROR(cudaErrorNotSupported, "operation not supported"),
    HONE_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef HONE_ERROR

const ErrorText& text_of(cudaError_t error) {
    for (const ErrorText& e : errors) {
        if (e.error == error) return e;
    }
    static constexpr ErrorText unknown = {cudaErrorUnknown, "unrecognized error code",
                                          "unrecognized error code"};
    return unknown;
}

// The last error and what it was about.
std::mutex lock;
cudaError_t last_error = cudaSuccess;
int last_line;
char last_message[512];

struct SharedLimit {
    const void* function;
    size_t bytes;
};
std::vector<SharedLimit> shared_limits;

cudaError_t set_error(cudaError_t error, int line, const char* format, va_list arguments) {
    std::lock_guard<std::mutex> hold(lock);
    last_error = error;
    last_line = line;
    vsnprintf(last_message, sizeof(last_message), format, arguments);
    return error;
}

__attribute__((format(printf, 3, 4))) cudaError_t error_at(int line, cudaError_t error, const char* format,
                                                           ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(error, line, format, arguments);
    va_end(arguments);
    return error;
}

void host_only(const char* function, int line) {
    if (running.launch != nullptr) fail("unsupported", Source::at_line(line), "a kernel called %s", function);
}

// within tells whether device memory holds all of the bytes. Host memory is the
// caller's own affair, unless the copy says that it is the device's.
bool within(const void* address, size_t bytes, bool device) {
    uintptr_t a = reinterpret_cast<uintptr_t>(address);
    if (!is_device_range(a)) return !device || bytes == 0;
    Region region;
    return bytes == 0 || (region_of(a, &region) && region.contains(a, bytes));
}

// A symbol is an ordinary variable here, and its address may be used as device memory.
bool is_symbol(const void* address) {
    uintptr_t a = reinterpret_cast<uintptr_t>(address);
    return a >= module().low && a < module().high;
}

int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

}  // namespace

struct CUevent_st {
    int64_t recorded;
};

namespace hone {

size_t shared_limit(const void* function) {
    size_t most = static_shared_limit;
    // An instance of a template has no address here: the largest limit set counts for it.
    for (const SharedLimit& s : shared_limits) {
        if ((function == nullptr || s.function == function) && s.bytes > most) most = s.bytes;
    }
    return most;
}

void launch_failed(const Launch& launch, cudaError_t error, const char* format, ...) {
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    error_at(launch.line, error, "the launch of %s did not happen (%s): %s", launch.name, text_of(error).name,
             reason);
    find({"launch_failed", "error", Source::at_line(launch.line), Source()}, "%s", last_message);
}

void begin_call() {
    std::lock_guard<std::mutex> hold(lock);
    last_error = cudaSuccess;
}

void fail_unhandled() {
    if (last_error == cudaSuccess) return;
    const char* kind = last_error == cudaErrorMemoryAllocation ? "out_of_memory" : "cuda_error";
    fail(kind, Source::at_line(last_line), "%s", last_message);
}

}  // namespace hone

cudaError_t hone_allocate(void** address, size_t bytes, MemoryKind kind, int line) {
    host_only("cudaMalloc", line);
    *address = nullptr;
    if (bytes == 0) return cudaSuccess;
    char name[64];
    snprintf(name, sizeof(name), "the memory allocated in line %d", line);
    Kind region = kind == MemoryKind::device    ? Kind::allocated
                  : kind == MemoryKind::managed ? Kind::managed
                                                : Kind::pinned;
    *address = allocate(bytes, region, name, schedule().poison);
    if (*address != nullptr) return cudaSuccess;
    return error_at(line, cudaErrorMemoryAllocation,
                    "cudaMalloc of %zu bytes failed: %zu of %zu bytes are in use", bytes, memory_used(),
                    memory_limit());
}

cudaError_t hone_free(void* address, MemoryKind kind, int line) {
    host_only("cudaFree", line);
    if (address == nullptr || free_memory(address, kind == MemoryKind::pinned, line)) return cudaSuccess;
    return error_at(line, cudaErrorInvalidValue, "cudaFree of memory that cudaMalloc did not give");
}

cudaError_t hone_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, int line) {
    host_only("cudaMemcpy", line);
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!within(to, bytes, to_device && !is_symbol(to))) {
        return error_at(
            line, cudaErrorInvalidValue, "cudaMemcpy of %zu bytes to %s", bytes,
            is_device_range(uintptr_t(to)) ? "beyond the end of its memory" : "memory of the host");
    }
    if (!within(from, bytes, from_device && !is_symbol(from))) {
        return error_at(
            line, cudaErrorInvalidValue, "cudaMemcpy of %zu bytes from %s", bytes,
            is_device_range(uintptr_t(from)) ? "beyond the end of its memory" : "memory of the host");
    }
    memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t hone_copy_symbol(void* to, const void* from, size_t symbol_bytes, size_t offset, size_t bytes,
                             int line) {
    host_only("cudaMemcpyToSymbol", line);
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
        return error_at(line, cudaErrorInvalidValue,
                        "a copy of %zu bytes at offset %zu of a symbol of %zu bytes", bytes, offset,
                        symbol_bytes);
    }
    memmove(static_cast<char*>(to) + offset, from, bytes);
    return cudaSuccess;
}

cudaError_t hone_fill(void* address, int value, size_t bytes, int line) {
    host_only("cudaMemset", line);
    if (!within(address, bytes, !is_symbol(address))) {
        return error_at(line, cudaErrorInvalidValue,
                        "cudaMemset of %zu bytes beyond the end of device memory", bytes);
    }
    memset(address, value, bytes);
    return cudaSuccess;
}

cudaError_t hone_limit_shared(const void* function, int bytes, int line) {
    if (bytes < 0 || size_t(bytes) > block_shared_limit) {
        return error_at(line, cudaErrorInvalidValue, "%d bytes of dynamic shared memory; the device has %zu",
                        bytes, block_shared_limit);
    }
    for (SharedLimit& s : shared_limits) {
        if (s.function == function) return s.bytes = size_t(bytes), cudaSuccess;
    }
    shared_limits.push_back({function, size_t(bytes)});
    return cudaSuccess;
}

cudaError_t cudaGetLastError() {
    std::lock_guard<std::mutex> hold(lock);
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() {
    std::lock_guard<std::mutex> hold(lock);
    return last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
    return text_of(error).name;
}
const char* cudaGetErrorString(cudaError_t error) {
    return text_of(error).text;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    if (device != 0) return error_at(0, cudaErrorInvalidDevice, "there is no device %d", device);
    *p = {};
    snprintf(p->name, sizeof(p->name), "CPU emulation");
    p->totalGlobalMem = memory_limit();
    p->sharedMemPerBlock = static_shared_limit;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = int(lanes);
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = int(max_threads);
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->clockRate = 1980000;
    p->memoryClockRate = 2619000;
    p->memoryBusWidth = 5120;
    p->totalConstMem = 65536;
    p->major = 9;
    p->multiProcessorCount = 132;
    p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
    p->l2CacheSize = 50 << 20;
    p->maxThreadsPerMultiProcessor = 2048;
    p->sharedMemPerMultiprocessor = 228 << 10;
    p->sharedMemPerBlockOptin = block_shared_limit;
    p->maxBlocksPerMultiProcessor = 32;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    if (cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess) return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            return *value = p.maxThreadsPerBlock, cudaSuccess;
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
        case cudaDevAttrMaxBlockDimZ:
            return *value = p.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX], cudaSuccess;
        case cudaDevAttrMaxGridDimX:
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ:
            return *value = p.maxGridSize[attribute - cudaDevAttrMaxGridDimX], cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            return *value = int(p.sharedMemPerBlock), cudaSuccess;
        case cudaDevAttrWarpSize:
            return *value = p.warpSize, cudaSuccess;
        case cudaDevAttrMaxRegistersPerBlock:
            return *value = p.regsPerBlock, cudaSuccess;
        case cudaDevAttrMultiProcessorCount:
            return *value = p.multiProcessorCount, cudaSuccess;
        case cudaDevAttrL2CacheSize:
            return *value = p.l2CacheSize, cudaSuccess;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            return *value = p.maxThreadsPerMultiProcessor, cudaSuccess;
        case cudaDevAttrComputeCapabilityMajor:
            return *value = p.major, cudaSuccess;
        case cudaDevAttrComputeCapabilityMinor:
            return *value = p.minor, cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return *value = int(p.sharedMemPerMultiprocessor), cudaSuccess;
        case cudaDevAttrCooperativeLaunch:
            return *value = 0, cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            return *value = int(p.sharedMemPerBlockOptin), cudaSuccess;
    }
    return error_at(0, cudaErrorInvalidValue, "cudaDeviceGetAttribute of attribute %d, which is not emulated",
                    int(attribute));
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    *total = memory_limit();
    *free = memory_limit() - memory_used();
    return cudaSuccess;
}

// Streams do nothing and cost nothing; they only have to differ.
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    static uintptr_t count = 16;
    *stream = reinterpret_cast<cudaStream_t>(++count);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new CUevent_st{0};
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}

cudaError_t hone_record(cudaEvent_t event) {
    if (event == nullptr) return error_at(0, cudaErrorInvalidResourceHandle, "cudaEventRecord of no event");
    event->recorded = nanoseconds();
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (start == nullptr || end == nullptr || start->recorded == 0 || end->recorded == 0) {
        return error_at(0, cudaErrorInvalidResourceHandle,
                        "cudaEventElapsedTime of an event that was not recorded");
    }
    *milliseconds = float(end->recorded - start->recorded) * 1e-6f;
    return cudaSuccess;
}

long long hone_clock() {
    return nanoseconds();
}

void hone_trap(int line) {
    fail("abort", Source::at_line(line), "the kernel called __trap");
}

// The C library's assert calls this.
#ifdef __APPLE__
extern "C" void __assert_rtn(const char*, const char*, int line, const char* expression) {
#else
extern "C" void __assert_fail(const char* expression, const char*, unsigned line, const char*) {
#endif
    fail("abort", Source::at_line(int(line)), "assertion failed: %s", expression);
}
