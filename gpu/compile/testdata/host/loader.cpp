// Loads a host object as a GPU process would, with a table that writes down what
// it is asked for. Arguments: the object, then the symbols of its kernels' variables.
#include <dlfcn.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hone_api.h"

static char memory[4096];

static int launch(const hone_kernel* kernel, const hone_config* c, void** arguments, const size_t* sizes, unsigned count) {
    printf("launch %s site %u grid %u,%u,%u block %u,%u,%u shared %zu stream %d:", static_cast<const char*>(kernel->handle),
           c->site, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared_bytes,
           static_cast<int>(reinterpret_cast<intptr_t>(c->stream)));
    for (unsigned i = 0; i < count; ++i) {
        printf(" ");
        for (size_t b = 0; b < sizes[i]; ++b) printf("%02x", static_cast<unsigned char*>(arguments[i])[b]);
    }
    printf("\n");
    return 0;
}

static void* object;

static const char* name_of(const void* address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_sname ? info.dli_sname : "?";
}

static int launch_address(const void* kernel, const hone_config* c, void**) {
    printf("launch by address %s grid %u cooperative %d\n", name_of(kernel), c->grid[0], c->cooperative);
    return 0;
}

static int set_attribute(const void* kernel, int attribute, int value) {
    printf("attribute %d of %s is %d\n", attribute, name_of(kernel), value);
    return 0;
}

static int symbol(const void* stand_in, void** address, size_t* bytes) {
    printf("symbol %s\n", name_of(stand_in));
    *address = memory;
    *bytes = 16;
    return 0;
}

static int copy(void* to, const void* from, size_t bytes, int kind, void*, int asynchronous) {
    printf("copy %zu kind %d asynchronous %d to +%td\n", bytes, kind, asynchronous, static_cast<char*>(to) - memory);
    memcpy(to, from, bytes);
    return 0;
}

int main(int argc, char** argv) {
    object = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!object) return fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no object"), 2;
    hone_api api = {};
    api.version = HONE_API_VERSION;
    api.size = sizeof api;
    api.launch = launch;
    api.launch_address = launch_address;
    api.set_attribute = set_attribute;
    api.symbol = symbol;
    api.copy = copy;
    auto bind = reinterpret_cast<int (*)(const hone_api*)>(dlsym(object, "hone_bind"));
    auto entry = reinterpret_cast<void (*)(void* const*, const int64_t*, void*)>(dlsym(object, "hone_entry"));
    if (!bind || !entry || bind(&api)) return fprintf(stderr, "no hone_bind or hone_entry\n"), 2;
    for (int i = 2; i < argc; ++i) {
        auto* kernel = static_cast<hone_kernel*>(dlsym(object, argv[i]));
        if (!kernel) return fprintf(stderr, "no %s\n", argv[i]), 2;
        kernel->handle = argv[i];
    }
    void* buffers[] = {reinterpret_cast<void*>(0x1000), memory};
    int64_t dims[] = {300};
    entry(buffers, dims, reinterpret_cast<void*>(7));
}
