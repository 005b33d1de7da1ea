// The emulation inside of a process that is not the emulator: what such a process
// calls around the functions of the objects that it loads. The process speaks the
// protocol on descriptor 3 itself; a fault of a kernel is sent there, and ends it.
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "../runtime/emulator/api.h"
#include "../runtime/emulator/fault.h"
#include "../runtime/emulator/launch.h"
#include "../runtime/emulator/memory.h"
#include "../runtime/emulator/module.h"
#include "../runtime/emulator/signals.h"

namespace {

// Without a judge on descriptor 3 nobody would hear of a fault.
bool has_judge() {
    struct stat status;
    return fstat(3, &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

// hone_library_start readies the emulation, once per process. memory bounds what
// cudaMalloc gives, in bytes.
HONE_EMULATOR void hone_library_start(size_t memory) {
    static bool started = false;
    if (started) return;
    started = true;
    hone::reserve_memory(memory);
    if (has_judge()) hone::handle_signals();
}

// hone_library_load names the object that faults have their lines from.
HONE_EMULATOR void hone_library_load(const char* path, const void* inside) {
    hone::locate_module(path, inside);
}

HONE_EMULATOR void hone_library_begin() {
    hone::clear_kernels();
    hone::clear_findings();
    hone::begin_call();
}

// hone_library_end makes an error of the CUDA runtime that the call did not ask for
// a fault; without a judge it returns the error's text, and null where there is none.
HONE_EMULATOR const char* hone_library_end() {
    cudaError_t error = cudaPeekAtLastError();
    if (error == cudaSuccess) return nullptr;
    if (has_judge()) hone::fail_unhandled();
    return cudaGetErrorString(error);
}
