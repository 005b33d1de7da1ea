// The device's host API inside of a process that is not the worker: what such a
// process calls around the functions of the objects that it loads. The process
// speaks the protocol on descriptor 3 itself; a fault is sent there, and ends it.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

namespace {

// Footer is the end of a module's file: behind the object stand the list of its
// kernels, in the form of the worker's load message, and the cubin.
struct Footer {
    char magic[8];
    uint64_t list, cubin;  // bytes of each
};

bool read_part(FILE* in, long from_end, void* to, size_t bytes) {
    return fseek(in, -from_end, SEEK_END) == 0 && fread(to, 1, bytes, in) == bytes;
}

// read_module reads what stands behind the object; false where nothing does.
bool read_module(const char* path, hone::Incoming* list, std::vector<char>* cubin) {
    FILE* in = fopen(path, "rb");
    if (in == nullptr) return false;
    Footer footer = {};
    bool ok = read_part(in, sizeof(footer), &footer, sizeof(footer)) &&
              memcmp(footer.magic, "HONEMOD1", sizeof(footer.magic)) == 0 && footer.list <= hone::max_body &&
              footer.cubin <= size_t(1) << 30;
    if (ok) {
        cubin->resize(footer.cubin);
        list->size = footer.list;
        list->body[footer.list] = 0;
        long end = long(sizeof(footer) + footer.cubin);
        ok = read_part(in, end, cubin->data(), footer.cubin) &&
             read_part(in, end + long(footer.list), list->body, footer.list);
    }
    fclose(in);
    return ok;
}

}  // namespace

// hone_library_load gives a loaded object the kernels that its file carries.
HONE_OFFERED void hone_library_load(const char* path, const void*) {
    static hone::Incoming list;
    static std::string last;
    if (last == path) return;
    last = path;
    std::vector<char> cubin;
    void* object = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (object == nullptr || !read_module(path, &list, &cubin))
        hone::fail("load", nullptr, "%s carries no kernels", path);
    hone::bind_module(hone::Fields(&list), std::move(cubin), object);
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

// hone_library_count forgets the launches so far, and counts those to come.
HONE_OFFERED void hone_library_count() {
    hone::begin_launches();
}

// hone_library_kernels ends that, and lists the kernels that were launched, one line
// for each as in the worker's answer to a call.
HONE_OFFERED const char* hone_library_kernels() {
    static std::string list;
    hone::stop_counting();
    auto text = std::make_unique<hone::Text>();
    hone::write_kernels(text.get());
    list.assign(text->data(), text->size());
    return list.c_str();
}
