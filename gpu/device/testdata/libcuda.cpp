// A libcuda without a device: memory is the host's, kernels are known by name and
// run at their launch, and errors come as they would.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#ifndef FAKE_VERSION
#define FAKE_VERSION 13000
#endif
#ifndef FAKE_INIT
#define FAKE_INIT 0
#endif

using Address = uint64_t;
using Handle = void*;

struct Function {
    char name[64];
};
struct Access {
    int kind, device, rights;
};

static int pending = 0;  // what the device has met
static bool hung = false;

// A capture keeps launches on the one stream that is captured; waiting breaks it.
struct Launch {
    Function* function;
    uint64_t arguments[4];
};
static std::vector<Launch> captured;
static Handle capturing = nullptr;
static bool broken = false;

static void* pointer(Address a) {
    return reinterpret_cast<void*>(a);
}
static int wait() {
    if (capturing != nullptr) return broken = true, 900;
    while (hung) pause();
    return pending;
}
static int take(void* memory, Address* a) {
    *a = reinterpret_cast<Address>(memory);
    return memory == nullptr ? 2 : 0;
}

static int run(const char* name, void** arguments) {
    if (strcmp(name, "add") == 0) {
        auto* a = *static_cast<const float**>(arguments[0]);
        auto* b = *static_cast<const float**>(arguments[1]);
        auto* c = *static_cast<float**>(arguments[2]);
        int64_t n = *static_cast<int64_t*>(arguments[3]);
        for (int64_t i = 0; i < n; i++) c[i] = a[i] + b[i];
    }
    if (strcmp(name, "error") == 0) pending = *static_cast<int*>(arguments[0]);
    if (strcmp(name, "refuse") == 0) return *static_cast<int*>(arguments[0]);
    if (strcmp(name, "hang") == 0) hung = true;
    return 0;
}

extern "C" {
int cuInit(unsigned) {
    return FAKE_INIT;
}
int cuDriverGetVersion(int* v) {
    return *v = FAKE_VERSION, 0;
}
int cuGetErrorName(int code, const char** name) {
    static char text[32];
    snprintf(text, sizeof(text), "CUDA_ERROR_%d", code);
    return *name = text, 0;
}
int cuGetErrorString(int code, const char** name) {
    static char text[32];
    snprintf(text, sizeof(text), "error number %d", code);
    return *name = text, 0;
}
int cuDeviceGetCount(int* n) {
    return *n = 1, 0;
}
int cuDeviceGet(int* d, int) {
    return *d = 0, 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
    return snprintf(name, size_t(bytes), "fake"), 0;
}
int cuDeviceGetAttribute(int* v, int attribute, int) {
    return *v = attribute == 39 ? 2048 : 1024, 0;
}
int cuDevicePrimaryCtxRetain(Handle* c, int) {
    return *c = &pending, 0;
}
int cuCtxSetCurrent(Handle) {
    return 0;
}
int cuCtxSynchronize() {
    return wait();
}
int cuMemGetInfo_v2(size_t* free, size_t* total) {
    return *free = *total = size_t(1) << 30, 0;
}
int cuMemAlloc_v2(Address* a, size_t bytes) {
    if (capturing != nullptr) return broken = true, 900;
    return bytes > (size_t(1) << 30) ? 2 : take(calloc(bytes, 1), a);
}
int cuMemAllocAsync(Address* a, size_t bytes, Handle) {
    return cuMemAlloc_v2(a, bytes);
}
int cuMemAllocManaged(Address* a, size_t bytes, unsigned) {
    return cuMemAlloc_v2(a, bytes);
}
int cuMemFree_v2(Address a) {
    return free(pointer(a)), 0;
}
int cuMemFreeAsync(Address a, Handle) {
    return cuMemFree_v2(a);
}
int cuMemHostAlloc(void** a, size_t bytes, unsigned) {
    return *a = malloc(bytes), 0;
}
int cuMemFreeHost(void* a) {
    return free(a), 0;
}
int cuMemcpy(Address to, Address from, size_t bytes) {
    return memcpy(pointer(to), pointer(from), bytes), pending;
}
int cuMemcpyAsync(Address to, Address from, size_t bytes, Handle) {
    return cuMemcpy(to, from, bytes);
}
int cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
    return memcpy(pointer(to), from, bytes), pending;
}
int cuMemcpyDtoH_v2(void* to, Address from, size_t bytes) {
    return memcpy(to, pointer(from), bytes), pending;
}
int cuMemcpyDtoD_v2(Address to, Address from, size_t bytes) {
    return cuMemcpy(to, from, bytes);
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Handle) {
    return cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Handle) {
    return cuMemcpyDtoH_v2(to, from, bytes);
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Handle) {
    return cuMemcpy(to, from, bytes);
}
int cuMemcpy2D_v2(const void*) {
    return 801;
}
int cuMemcpy2DAsync_v2(const void*, Handle) {
    return 801;
}
int cuMemsetD8_v2(Address a, unsigned char value, size_t bytes) {
    return memset(pointer(a), value, bytes), pending;
}
int cuMemsetD8Async(Address a, unsigned char value, size_t bytes, Handle) {
    return cuMemsetD8_v2(a, value, bytes);
}
int cuMemsetD32Async(Address a, unsigned value, size_t words, Handle) {
    for (size_t i = 0; i < words; i++) static_cast<unsigned*>(pointer(a))[i] = value;
    return pending;
}
int cuMemImportFromShareableHandle(uint64_t* allocation, void* descriptor, int) {
    int copy = dup(int(reinterpret_cast<intptr_t>(descriptor)));
    return copy < 0 ? 1 : (*allocation = uint64_t(copy), 0);
}
int cuMemAddressReserve(Address* a, size_t bytes, size_t, Address, uint64_t) {
    return take(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), a);
}
int cuMemAddressFree(Address a, size_t bytes) {
    return munmap(pointer(a), bytes);
}
int cuMemMap(Address a, size_t bytes, size_t, uint64_t allocation, uint64_t) {
    return mmap(pointer(a), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, int(allocation), 0) == MAP_FAILED ? 1
                                                                                                        : 0;
}
int cuMemUnmap(Address a, size_t bytes) {
    void* none = mmap(pointer(a), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return none == MAP_FAILED ? 1 : 0;
}
int cuMemRelease(uint64_t allocation) {
    return close(int(allocation));
}
int cuMemSetAccess(Address a, size_t bytes, const Access* access, size_t) {
    return mprotect(pointer(a), bytes, access->rights == 3 ? PROT_READ | PROT_WRITE : PROT_READ);
}
int cuModuleLoadData(Handle* m, const void* image) {
    static int module;
    const char* text = static_cast<const char*>(image);
    *m = &module;
    return strncmp(text, "FAKE", 4) == 0 || strncmp(text, ".version", 8) == 0 ? 0 : 200;
}
int cuModuleGetFunction(Handle* f, Handle, const char* name) {
    if (strcmp(name, "absent") == 0) return 500;
    auto* function = new Function;
    snprintf(function->name, sizeof(function->name), "%s", name);
    return *f = function, 0;
}
int cuModuleGetGlobal_v2(Address* a, size_t* bytes, Handle, const char*) {
    static int value;
    *bytes = sizeof(value);
    return take(&value, a);
}
int cuFuncGetAttribute(int* v, int attribute, Handle) {
    return *v = attribute == 4 ? 32 : attribute == 1 ? 256 : 0, 0;
}
int cuFuncSetAttribute(Handle, int, int) {
    return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Handle, int threads, size_t) {
    return *blocks = 1024 / threads, 0;
}
int cuLaunchKernel(Handle f, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle stream, void** arguments, void**) {
    if (capturing != nullptr && stream == capturing) {
        Launch launch = {static_cast<Function*>(f), {}};
        bool adds = strcmp(launch.function->name, "add") == 0;
        for (int i = 0; adds && i < 4; i++) memcpy(&launch.arguments[i], arguments[i], 8);
        if (strcmp(launch.function->name, "error") == 0) memcpy(&launch.arguments[0], arguments[0], 4);
        captured.push_back(launch);
        return 0;
    }
    return pending != 0 ? pending : run(static_cast<Function*>(f)->name, arguments);
}
int cuLaunchCooperativeKernel(Handle f, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              Handle, void** arguments) {
    return run(static_cast<Function*>(f)->name, arguments);
}
int cuStreamBeginCapture_v2(Handle stream, int) {
    captured.clear();
    broken = false;
    return capturing = stream, 0;
}
int cuStreamEndCapture(Handle, Handle* graph) {
    capturing = nullptr;
    return broken ? 901 : (*graph = new std::vector<Launch>(captured), 0);
}
int cuGraphGetNodes(Handle graph, Handle* nodes, size_t* count) {
    auto* launches = static_cast<std::vector<Launch>*>(graph);
    for (size_t i = 0; nodes != nullptr && i < *count; i++) nodes[i] = &(*launches)[i];
    return *count = launches->size(), 0;
}
int cuGraphNodeGetType(Handle, int* type) {
    return *type = 0, 0;
}
int cuGraphInstantiateWithFlags(Handle* executable, Handle graph, unsigned long long) {
    return *executable = graph, 0;
}
int cuGraphLaunch(Handle graph, Handle) {
    for (Launch& l : *static_cast<std::vector<Launch>*>(graph)) {
        void* arguments[] = {&l.arguments[0], &l.arguments[1], &l.arguments[2], &l.arguments[3]};
        if (pending == 0) run(l.function->name, arguments);
    }
    return pending;
}
int cuGraphExecDestroy(Handle) {
    return 0;
}
int cuGraphDestroy(Handle graph) {
    return delete static_cast<std::vector<Launch>*>(graph), 0;
}
int cuStreamCreate(Handle* s, unsigned) {
    return *s = new char, 0;
}
int cuStreamCreateWithPriority(Handle* s, unsigned, int) {
    return *s = new char, 0;
}
int cuStreamDestroy_v2(Handle) {
    return 0;
}
int cuStreamSynchronize(Handle) {
    return wait();
}
int cuStreamQuery(Handle) {
    return 600;
}
int cuStreamWaitEvent(Handle, Handle, unsigned) {
    return 0;
}
int cuEventCreate(Handle* e, unsigned) {
    return *e = new timespec, 0;
}
int cuEventDestroy_v2(Handle e) {
    return delete static_cast<timespec*>(e), 0;
}
int cuEventRecord(Handle e, Handle) {
    return clock_gettime(CLOCK_MONOTONIC, static_cast<timespec*>(e)), pending;
}
int cuEventSynchronize(Handle) {
    return wait();
}
int cuEventQuery(Handle) {
    return pending;
}
int cuEventElapsedTime(float* milliseconds, Handle from, Handle to) {
    auto *a = static_cast<timespec*>(from), *b = static_cast<timespec*>(to);
    *milliseconds = float(double(b->tv_sec - a->tv_sec) * 1e3 + double(b->tv_nsec - a->tv_nsec) / 1e6);
    return pending;
}
}
