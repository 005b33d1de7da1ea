#include "api.h"

#include <stdio.h>
#include <string.h>
#include <unordered_map>

#include "errors.h"
#include "fault.h"
#include "graph.h"
#include "kernels.h"

namespace hone {
namespace {

struct Variable {
    Address address;
    size_t bytes;
};

std::unordered_map<const void*, Variable> variables;
int poison = -1;

Address number(const void* address) {
    return reinterpret_cast<Address>(address);
}

int kept(int code, const char* call) {
    return keep_error(code, call, nullptr);
}

void check_arguments(const Kernel& k, const size_t* sizes, unsigned count) {
    if (count != k.parameters.size())
        fail("load", k.name, "the host part passes %u arguments, the kernel takes %zu", count,
             k.parameters.size());
    for (unsigned i = 0; i < count; i++) {
        if (sizes[i] != k.parameters[i])
            fail("load", k.name, "argument %u has %zu bytes on the host and %zu on the device", i, sizes[i],
                 k.parameters[i]);
    }
}

int launch_kernel(const hone_kernel* kernel, const hone_config* config, void** arguments, const size_t* sizes,
                  unsigned count) {
    auto* k = static_cast<Kernel*>(kernel->handle);
    if (k == nullptr)
        return kept(invalid_device_function, "the launch of a kernel that the device part lacks");
    check_arguments(*k, sizes, count);
    return launch(k, *config, arguments);
}

int launch_address(const void* stand_in, const hone_config* config, void** arguments) {
    Kernel* k = kernel_of(stand_in);
    if (k == nullptr) return kept(invalid_device_function, "cudaLaunchKernel");
    return launch(k, *config, arguments);
}

int set_attribute(const void* stand_in, int attribute, int value) {
    Kernel* k = kernel_of(stand_in);
    if (k == nullptr) return kept(invalid_device_function, "cudaFuncSetAttribute");
    return keep_error(driver().cuFuncSetAttribute(k->function, attribute, value), "cudaFuncSetAttribute",
                      k->name);
}

int get_attribute(const void* stand_in, int attribute, int* value) {
    Kernel* k = kernel_of(stand_in);
    if (k == nullptr) return kept(invalid_device_function, "cudaFuncGetAttributes");
    return kept(driver().cuFuncGetAttribute(value, attribute, k->function), "cudaFuncGetAttributes");
}

int occupancy(const void* stand_in, int* blocks, int block_size, size_t shared_bytes) {
    Kernel* k = kernel_of(stand_in);
    if (k == nullptr) return kept(invalid_device_function, "cudaOccupancy");
    return kept(
        driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, k->function, block_size, shared_bytes),
        "cudaOccupancy");
}

// allocate_managed refuses more than the device has free: a device that has to
// page may stop answering, and not to this process alone.
int allocate_managed(Address* address, size_t bytes) {
    constexpr unsigned attach_global = 1;
    size_t free = 0, total = 0;
    int code = driver().cuMemGetInfo_v2(&free, &total);
    if (code == 0 && bytes > free) code = out_of_memory;
    return code != 0 ? code : driver().cuMemAllocManaged(address, bytes, attach_global);
}

int allocate_on_device(Address* address, size_t bytes, void* stream, int ordered) {
    const Driver& d = driver();
    int code = ordered != 0 ? d.cuMemAllocAsync(address, bytes, stream) : d.cuMemAlloc_v2(address, bytes);
    if (code == 0 && poison >= 0) {
        auto byte = static_cast<unsigned char>(poison);
        code = ordered != 0 ? d.cuMemsetD8Async(*address, byte, bytes, stream)
                            : d.cuMemsetD8_v2(*address, byte, bytes);
    }
    return code;
}

int allocate(void** address, size_t bytes, int memory, void* stream, int ordered) {
    constexpr unsigned portable = 1, mapped = 2;
    *address = nullptr;
    if (bytes == 0) return 0;
    if (memory == HONE_PINNED)
        return kept(driver().cuMemHostAlloc(address, bytes, portable | mapped), "cudaMallocHost");
    Address place = 0;
    int code = memory == HONE_MANAGED ? allocate_managed(&place, bytes)
                                      : allocate_on_device(&place, bytes, stream, ordered);
    if (code == 0) *address = reinterpret_cast<void*>(place);
    char call[64];
    snprintf(call, sizeof(call), "%s of %zu bytes",
             memory == HONE_MANAGED ? "cudaMallocManaged" : "cudaMalloc", bytes);
    return kept(code, call);
}

int release(void* address, int memory, void* stream, int ordered) {
    if (address == nullptr) return 0;
    if (memory == HONE_PINNED) return kept(driver().cuMemFreeHost(address), "cudaFreeHost");
    if (ordered != 0) return kept(driver().cuMemFreeAsync(number(address), stream), "cudaFreeAsync");
    return kept(driver().cuMemFree_v2(number(address)), "cudaFree");
}

enum Direction { host_to_host, host_to_device, device_to_host, device_to_device };

int copy_now(void* to, const void* from, size_t bytes, int kind) {
    const Driver& d = driver();
    switch (kind) {
        case host_to_device:
            return d.cuMemcpyHtoD_v2(number(to), from, bytes);
        case device_to_host:
            return d.cuMemcpyDtoH_v2(to, number(from), bytes);
        case device_to_device:
            return d.cuMemcpyDtoD_v2(number(to), number(from), bytes);
    }
    return d.cuMemcpy(number(to), number(from), bytes);
}

int copy_later(void* to, const void* from, size_t bytes, int kind, void* stream) {
    const Driver& d = driver();
    switch (kind) {
        case host_to_device:
            return d.cuMemcpyHtoDAsync_v2(number(to), from, bytes, stream);
        case device_to_host:
            return d.cuMemcpyDtoHAsync_v2(to, number(from), bytes, stream);
        case device_to_device:
            return d.cuMemcpyDtoDAsync_v2(number(to), number(from), bytes, stream);
    }
    return d.cuMemcpyAsync(number(to), number(from), bytes, stream);
}

int copy(void* to, const void* from, size_t bytes, int kind, void* stream, int asynchronous) {
    if (bytes == 0) return 0;
    return asynchronous != 0 ? kept(copy_later(to, from, bytes, kind, stream), "cudaMemcpyAsync")
                             : kept(copy_now(to, from, bytes, kind), "cudaMemcpy");
}

int copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
              int kind, void* stream, int asynchronous) {
    constexpr unsigned host = 1, device = 2, either = 4;
    if (width == 0 || rows == 0) return 0;
    Rows r = {};
    r.from_kind = kind == host_to_host || kind == host_to_device       ? host
                  : kind == device_to_host || kind == device_to_device ? device
                                                                       : either;
    r.to_kind = kind == host_to_host || kind == device_to_host       ? host
                : kind == host_to_device || kind == device_to_device ? device
                                                                     : either;
    r.from_host = from;
    r.from_device = number(from);
    r.from_pitch = from_pitch;
    r.to_host = to;
    r.to_device = number(to);
    r.to_pitch = to_pitch;
    r.width = width;
    r.height = rows;
    return asynchronous != 0 ? kept(driver().cuMemcpy2DAsync_v2(&r, stream), "cudaMemcpy2DAsync")
                             : kept(driver().cuMemcpy2D_v2(&r), "cudaMemcpy2D");
}

int fill(void* address, int value, size_t bytes, void* stream, int asynchronous) {
    if (bytes == 0) return 0;
    auto byte = static_cast<unsigned char>(value);
    return asynchronous != 0
               ? kept(driver().cuMemsetD8Async(number(address), byte, bytes, stream), "cudaMemsetAsync")
               : kept(driver().cuMemsetD8_v2(number(address), byte, bytes), "cudaMemset");
}

int symbol(const void* stand_in, void** address, size_t* bytes) {
    auto found = variables.find(stand_in);
    if (found == variables.end())
        return kept(invalid_symbol, "the use of a symbol that is no device variable");
    *address = reinterpret_cast<void*>(found->second.address);
    *bytes = found->second.bytes;
    return 0;
}

int memory_info(size_t* free, size_t* total) {
    return kept(driver().cuMemGetInfo_v2(free, total), "cudaMemGetInfo");
}
int attribute_of_device(int* value, int attribute) {
    return kept(driver().cuDeviceGetAttribute(value, attribute, device_number()), "cudaDeviceGetAttribute");
}
int device_name(char* name, size_t bytes) {
    return kept(driver().cuDeviceGetName(name, int(bytes), device_number()), "cudaGetDeviceProperties");
}
int device_synchronize() {
    if (capturing()) return kept(driver().cuCtxSynchronize(), "cudaDeviceSynchronize");
    check_device();
    return 0;
}
int last(int reset) {
    return last_error(reset != 0);
}

int stream_create(void** stream, unsigned flags, int priority) {
    return kept(driver().cuStreamCreateWithPriority(stream, flags, priority), "cudaStreamCreate");
}
int stream_destroy(void* stream) {
    return kept(driver().cuStreamDestroy_v2(stream), "cudaStreamDestroy");
}
int stream_synchronize(void* stream) {
    return kept(driver().cuStreamSynchronize(stream), "cudaStreamSynchronize");
}
int stream_query(void* stream) {
    return kept(driver().cuStreamQuery(stream), "cudaStreamQuery");
}
int stream_wait(void* stream, void* event, unsigned flags) {
    return kept(driver().cuStreamWaitEvent(stream, event, flags), "cudaStreamWaitEvent");
}
int event_create(void** event, unsigned flags) {
    return kept(driver().cuEventCreate(event, flags), "cudaEventCreate");
}
int event_destroy(void* event) {
    return kept(driver().cuEventDestroy_v2(event), "cudaEventDestroy");
}
int event_record(void* event, void* stream) {
    return kept(driver().cuEventRecord(event, stream), "cudaEventRecord");
}
int event_synchronize(void* event) {
    return kept(driver().cuEventSynchronize(event), "cudaEventSynchronize");
}
int event_query(void* event) {
    return kept(driver().cuEventQuery(event), "cudaEventQuery");
}
int event_elapsed(float* milliseconds, void* start, void* end) {
    return kept(driver().cuEventElapsedTime(milliseconds, start, end), "cudaEventElapsedTime");
}

// In the order of hone_api.h.
constexpr hone_api table = {
    HONE_API_VERSION,
    sizeof(hone_api),
    launch_kernel,
    launch_address,
    set_attribute,
    get_attribute,
    occupancy,
    allocate,
    release,
    copy,
    copy_rows,
    fill,
    symbol,
    memory_info,
    attribute_of_device,
    device_name,
    device_synchronize,
    last,
    name_of,
    text_of,
    stream_create,
    stream_destroy,
    stream_synchronize,
    stream_query,
    stream_wait,
    event_create,
    event_destroy,
    event_record,
    event_synchronize,
    event_query,
    event_elapsed,
};

}  // namespace

const hone_api* api_table() {
    return &table;
}

void add_variable(const void* stand_in, Address address, size_t bytes) {
    variables[stand_in] = {address, bytes};
}

void poison_allocations(int byte) {
    poison = byte;
}

}  // namespace hone
