// libcuda, looked up at run time: hand-written prototypes under the exact exported
// names, since a plain name is often an older function of another shape.
#ifndef HONE_DRIVER_H
#define HONE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

namespace hone {

using Address = uint64_t;     // in the device's memory
using Handle = void*;         // of a context, module, function, stream or event
using Allocation = uint64_t;  // memory without an address

// The structures below have the driver's own layout.
struct Location {
    int kind, device;
};
struct Access {
    Location location;
    int rights;
};
struct Rows {
    size_t from_x, from_y;
    unsigned from_kind;
    const void* from_host;
    Address from_device;
    void* from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    unsigned to_kind;
    void* to_host;
    Address to_device;
    void* to_array;
    size_t to_pitch;
    size_t width, height;
};

// Each function returns 0 or an error's number.
#define HONE_DRIVER_FUNCTIONS(F)                                                                            \
    F(cuInit, unsigned)                                                                                     \
    F(cuDriverGetVersion, int*)                                                                             \
    F(cuGetErrorName, int, const char**)                                                                    \
    F(cuGetErrorString, int, const char**)                                                                  \
    F(cuDeviceGetCount, int*)                                                                               \
    F(cuDeviceGet, int*, int)                                                                               \
    F(cuDeviceGetName, char*, int, int)                                                                     \
    F(cuDeviceGetAttribute, int*, int, int)                                                                 \
    F(cuDevicePrimaryCtxRetain, Handle*, int)                                                               \
    F(cuCtxSetCurrent, Handle)                                                                              \
    F(cuCtxSynchronize, void)                                                                               \
    F(cuMemGetInfo_v2, size_t*, size_t*)                                                                    \
    F(cuMemAlloc_v2, Address*, size_t)                                                                      \
    F(cuMemAllocAsync, Address*, size_t, Handle)                                                            \
    F(cuMemAllocManaged, Address*, size_t, unsigned)                                                        \
    F(cuMemFree_v2, Address)                                                                                \
    F(cuMemFreeAsync, Address, Handle)                                                                      \
    F(cuMemHostAlloc, void**, size_t, unsigned)                                                             \
    F(cuMemFreeHost, void*)                                                                                 \
    F(cuMemcpy, Address, Address, size_t)                                                                   \
    F(cuMemcpyAsync, Address, Address, size_t, Handle)                                                      \
    F(cuMemcpyHtoD_v2, Address, const void*, size_t)                                                        \
    F(cuMemcpyDtoH_v2, void*, Address, size_t)                                                              \
    F(cuMemcpyDtoD_v2, Address, Address, size_t)                                                            \
    F(cuMemcpyHtoDAsync_v2, Address, const void*, size_t, Handle)                                           \
    F(cuMemcpyDtoHAsync_v2, void*, Address, size_t, Handle)                                                 \
    F(cuMemcpyDtoDAsync_v2, Address, Address, size_t, Handle)                                               \
    F(cuMemcpy2D_v2, const Rows*)                                                                           \
    F(cuMemcpy2DAsync_v2, const Rows*, Handle)                                                              \
    F(cuMemsetD8_v2, Address, unsigned char, size_t)                                                        \
    F(cuMemsetD8Async, Address, unsigned char, size_t, Handle)                                              \
    F(cuMemsetD32Async, Address, unsigned, size_t, Handle)                                                  \
    F(cuMemImportFromShareableHandle, Allocation*, void*, int)                                              \
    F(cuMemAddressReserve, Address*, size_t, size_t, Address, uint64_t)                                     \
    F(cuMemAddressFree, Address, size_t)                                                                    \
    F(cuMemMap, Address, size_t, size_t, Allocation, uint64_t)                                              \
    F(cuMemUnmap, Address, size_t)                                                                          \
    F(cuMemRelease, Allocation)                                                                             \
    F(cuMemSetAccess, Address, size_t, const Access*, size_t)                                               \
    F(cuModuleLoadData, Handle*, const void*)                                                               \
    F(cuModuleGetFunction, Handle*, Handle, const char*)                                                    \
    F(cuModuleGetGlobal_v2, Address*, size_t*, Handle, const char*)                                         \
    F(cuFuncGetAttribute, int*, int, Handle)                                                                \
    F(cuFuncSetAttribute, Handle, int, int)                                                                 \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, Handle, int, size_t)                               \
    F(cuLaunchKernel, Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, \
      void**, void**)                                                                                       \
    F(cuLaunchCooperativeKernel, Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
      unsigned, Handle, void**)                                                                             \
    F(cuStreamCreate, Handle*, unsigned)                                                                    \
    F(cuStreamCreateWithPriority, Handle*, unsigned, int)                                                   \
    F(cuStreamDestroy_v2, Handle)                                                                           \
    F(cuStreamSynchronize, Handle)                                                                          \
    F(cuStreamQuery, Handle)                                                                                \
    F(cuStreamBeginCapture_v2, Handle, int)                                                                 \
    F(cuStreamEndCapture, Handle, Handle*)                                                                  \
    F(cuGraphGetNodes, Handle, Handle*, size_t*)                                                            \
    F(cuGraphNodeGetType, Handle, int*)                                                                     \
    F(cuGraphInstantiateWithFlags, Handle*, Handle, unsigned long long)                                     \
    F(cuGraphLaunch, Handle, Handle)                                                                        \
    F(cuGraphExecDestroy, Handle)                                                                           \
    F(cuGraphDestroy, Handle)                                                                               \
    F(cuStreamWaitEvent, Handle, Handle, unsigned)                                                          \
    F(cuEventCreate, Handle*, unsigned)                                                                     \
    F(cuEventDestroy_v2, Handle)                                                                            \
    F(cuEventRecord, Handle, Handle)                                                                        \
    F(cuEventSynchronize, Handle)                                                                           \
    F(cuEventQuery, Handle)                                                                                 \
    F(cuEventElapsedTime, float*, Handle, Handle)

struct Driver {
#define HONE_MEMBER(name, ...) int (*name)(__VA_ARGS__);
    HONE_DRIVER_FUNCTIONS(HONE_MEMBER)
#undef HONE_MEMBER
};

// The driver's numbers for what this program asks of it.
enum Attribute {
    max_threads_per_block = 1,
    max_threads_per_multiprocessor = 39,
    shared_bytes_per_multiprocessor = 81,
    registers_per_multiprocessor = 82,
    max_blocks_per_multiprocessor = 106,
    reserved_shared_bytes = 111,  // of each block, by the system
    static_shared_bytes = 1,      // of a function
    local_bytes = 3,
    registers = 4,
    max_dynamic_shared_bytes = 8,
};
enum Code {
    invalid_value = 1,
    out_of_memory = 2,
    invalid_configuration = 9,
    invalid_symbol = 13,
    invalid_device_function = 98,
    not_ready = 600,
};

// open_driver loads libcuda, from its usual places where the path is null, and
// makes the device's primary context current. It reports a fault and ends the
// process where that cannot be done.
void open_driver(const char* path, int device);

// driver is libcuda, with the context current on the calling thread.
const Driver& driver();
int device_number();
int device_attribute(int attribute);

// folder_of_driver is where libcuda was found.
const char* folder_of_driver();

// What the driver calls an error, and says of it.
const char* name_of(int code);
const char* text_of(int code);

}  // namespace hone

#endif
