#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"

namespace hone {
namespace {

constexpr int oldest_version = 12000;

Driver table;
Handle context = nullptr;
int device = 0;
char folder[4096];
thread_local bool entered = false;

template <class F>
void find(void* library, F* function, const char* name) {
    *function = reinterpret_cast<F>(dlsym(library, name));
    if (*function == nullptr)
        fail("no_driver", nullptr, "libcuda has no %s: the NVIDIA driver is too old", name);
}

// usual_places are where the loader finds libcuda, and where containers and WSL
// put it without telling the loader.
constexpr const char* usual_places[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                        "/usr/lib/wsl/lib/libcuda.so.1"};

void* open_library(const char* path) {
    if (path != nullptr) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* library = nullptr;
    for (const char* place : usual_places) {
        if (library == nullptr) library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

void load_library(const char* path) {
    void* library = open_library(path);
    if (library == nullptr) fail("no_driver", nullptr, "libcuda cannot be loaded: %s", dlerror());
#define HONE_FIND(name, ...) find(library, &table.name, #name);
    HONE_DRIVER_FUNCTIONS(HONE_FIND)
#undef HONE_FIND
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(table.cuInit), &info) == 0) return;
    snprintf(folder, sizeof(folder), "%s", info.dli_fname);
    if (char* slash = strrchr(folder, '/')) *slash = 0;
}

void start(const char* call, int code) {
    if (code != 0) fail("no_device", nullptr, "%s: %s (%s)", call, text_of(code), name_of(code));
}

}  // namespace

void open_driver(const char* path, int ordinal) {
    load_library(path);
    int version = 0, count = 0;
    start("cuDriverGetVersion", table.cuDriverGetVersion(&version));
    if (version < oldest_version) {
        fail("no_driver", nullptr, "the NVIDIA driver supports CUDA %d.%d, and 12.0 is needed",
             version / 1000, version % 1000 / 10);
    }
    start("cuInit", table.cuInit(0));
    start("cuDeviceGetCount", table.cuDeviceGetCount(&count));
    if (ordinal < 0 || ordinal >= count)
        fail("no_device", nullptr, "there is no device %d: the driver shows %d", ordinal, count);
    start("cuDeviceGet", table.cuDeviceGet(&device, ordinal));
    start("cuDevicePrimaryCtxRetain", table.cuDevicePrimaryCtxRetain(&context, device));
    start("cuCtxSetCurrent", table.cuCtxSetCurrent(context));
}

const Driver& driver() {
    if (!entered && context != nullptr) entered = table.cuCtxSetCurrent(context) == 0;
    return table;
}

int device_number() {
    return device;
}

int device_attribute(int attribute) {
    int value = 0;
    return table.cuDeviceGetAttribute(&value, attribute, device) == 0 ? value : 0;
}

const char* folder_of_driver() {
    return folder;
}

const char* name_of(int code) {
    if (code == invalid_configuration) return "cudaErrorInvalidConfiguration";
    const char* name = nullptr;
    if (table.cuGetErrorName == nullptr || table.cuGetErrorName(code, &name) != 0 || name == nullptr)
        return "unknown error";
    return name;
}

const char* text_of(int code) {
    if (code == invalid_configuration) return "invalid configuration argument";
    const char* text = nullptr;
    if (table.cuGetErrorString == nullptr || table.cuGetErrorString(code, &text) != 0 || text == nullptr)
        return "unknown error";
    return text;
}

}  // namespace hone
