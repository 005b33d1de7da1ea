#include "module.h"

#include <stdio.h>

#ifdef __APPLE__
#include <dlfcn.h>
#include <mach-o/loader.h>
#include <string.h>
#else
#include <link.h>
#endif

namespace hone {
namespace {

Module current;

void grow(Module* m, uintptr_t low, uintptr_t bytes) {
    if (low < m->low) m->low = low;
    if (low + bytes > m->high) m->high = low + bytes;
}

#ifdef __APPLE__
// The segments of an image follow its header as load commands.
void find(uintptr_t inside, Module* m) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(inside), &info) == 0) return;
    const auto* header = static_cast<const mach_header_64*>(info.dli_fbase);
    const char* command = reinterpret_cast<const char*>(header + 1);
    for (uint32_t i = 0; i < header->ncmds; i++) {
        const auto* segment = reinterpret_cast<const segment_command_64*>(command);
        command += segment->cmdsize;
        if (segment->cmd != LC_SEGMENT_64) continue;
        if (strcmp(segment->segname, "__TEXT") == 0) m->base = uintptr_t(header) - segment->vmaddr;
        grow(m, m->base + segment->vmaddr, segment->vmsize);
    }
}
#else
int visit(dl_phdr_info* info, size_t, void* wanted) {
    Module* m = static_cast<Module*>(wanted);
    Module candidate = {{}, info->dlpi_addr, ~uintptr_t(0), 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD) grow(&candidate, info->dlpi_addr + segment.p_vaddr, segment.p_memsz);
    }
    uintptr_t inside = m->base;
    if (inside < candidate.low || inside >= candidate.high) return 0;
    *m = candidate;
    return 1;
}

void find(uintptr_t inside, Module* m) {
    m->base = inside;
    dl_iterate_phdr(visit, m);
}
#endif

}  // namespace

void locate_module(const char* path, const void* inside) {
    current = {{}, 0, ~uintptr_t(0), 0};
    find(reinterpret_cast<uintptr_t>(inside), &current);
    snprintf(current.path, sizeof(current.path), "%s", path);
}

const Module& module() {
    return current;
}

}  // namespace hone
