// The device's host API inside of a process that is not the worker: what such a
// process calls around the functions of the objects that it loads. The process
// speaks the protocol on descriptor 3 itself; a fault is sent there, and ends it.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string>

#include "driver.h"
#include "errors.h"
#include "fault.h"
#include "kernels.h"
#include "message.h"
#include "module.h"

#define HONE_OFFERED extern "C" __attribute__((visibility("default")))

// hone_library_start takes the primary context of the first device that the process
// sees, which is also torch's. It does so once.
HONE_OFFERED void hone_library_start(size_t) {
    static bool started = false;
    if (!started) hone::open_driver(nullptr, 0);
    started = true;
}

// hone_library_load gives a loaded object the kernels that the file beside it lists:
// module.list, in the form of the worker's load message.
HONE_OFFERED void hone_library_load(const char* path, const void*) {
    static hone::Incoming list;
    static std::string last;
    if (last == path) return;
    last = path;
    void* object = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    std::string file = last.substr(0, last.rfind('/') + 1) + "module.list";
    FILE* in = fopen(file.c_str(), "rb");
    if (in == nullptr || object == nullptr)
        hone::fail("load", nullptr, "%s cannot be read: %m", file.c_str());
    list.size = fread(list.body, 1, hone::max_body, in);
    fclose(in);
    list.body[list.size] = 0;
    hone::bind_module(hone::Fields(&list), object);
}

HONE_OFFERED void hone_library_begin() {
    hone::take_failure();
}

// hone_library_end returns the error that the function never asked for, null where
// there is none.
HONE_OFFERED const char* hone_library_end() {
    static std::string failure;
    failure = hone::take_failure();
    return failure.empty() ? nullptr : failure.c_str();
}
