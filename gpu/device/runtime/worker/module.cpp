#include "module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <utility>
#include <vector>

#include "api.h"
#include "contain.h"
#include "errors.h"
#include "fault.h"
#include "kernels.h"
#include "needs.h"

namespace hone {
namespace {

// Listed is a kernel as the message lists it.
struct Listed {
    std::string variable, function, lowered, name;
    std::vector<size_t> parameters;
};

struct Parts {
    const char* cubin = "";
    const char* object = "";
    std::vector<Listed> kernels;
    std::vector<std::string> variables;
};

Listed read_kernel(Fields* fields) {
    Listed k;
    k.variable = fields->next_field();
    k.function = fields->next_field();
    k.lowered = fields->next_field();
    k.name = fields->next_field();
    for (const char* size = fields->next_field(); *size != 0; size = fields->next_field())
        k.parameters.push_back(strtoull(size, nullptr, 10));
    return k;
}

Parts read_parts(Fields fields) {
    Parts parts;
    while (const char* name = fields.next_line()) {
        if (strcmp(name, "cubin") == 0) parts.cubin = fields.next_field();
        if (strcmp(name, "object") == 0) parts.object = fields.next_field();
        if (strcmp(name, "kernel") == 0) parts.kernels.push_back(read_kernel(&fields));
        if (strcmp(name, "variable") == 0) parts.variables.push_back(fields.next_field());
    }
    return parts;
}

std::vector<char> read_file(const char* path) {
    std::vector<char> bytes;
    FILE* file = fopen(path, "rb");
    if (file == nullptr) fail("load", nullptr, "%s cannot be read: %m", path);
    char part[65536];
    for (size_t n; (n = fread(part, 1, sizeof(part), file)) > 0;) bytes.insert(bytes.end(), part, part + n);
    fclose(file);
    return bytes;
}

Handle load_cubin(std::vector<char> image) {
    image.push_back(0);  // an image that is text ends so
    Handle module = nullptr;
    int code = driver().cuModuleLoadData(&module, image.data());
    if (code != 0) fail("load", nullptr, "the cubin cannot be loaded: %s (%s)", text_of(code), name_of(code));
    return module;
}

template <class T>
T* find(void* object, const std::string& symbol) {
    return reinterpret_cast<T*>(dlsym(object, symbol.c_str()));
}

// bind gives the host object the table, its kernels and its variables.
void bind(void* object, Handle module, const Parts& parts) {
    auto* take_table = find<int(const hone_api*)>(object, "hone_bind");
    if (take_table == nullptr) fail("load", nullptr, "%s has no hone_bind", parts.object);
    if (take_table(api_table()) != 0) fail("load", nullptr, "%s was built for another table", parts.object);
    for (const Listed& k : parts.kernels) {
        auto* variable = find<hone_kernel>(object, k.variable);
        if (variable == nullptr) fail("load", k.name.c_str(), "the host part has no %s", k.variable.c_str());
        Kernel* kernel =
            add_kernel(module, k.lowered.c_str(), k.name.c_str(), find<void>(object, k.function));
        kernel->parameters = k.parameters;
        variable->handle = kernel;
    }
    for (const std::string& name : parts.variables) {
        Address address = 0;
        size_t bytes = 0;
        int code = driver().cuModuleGetGlobal_v2(&address, &bytes, module, name.c_str());
        if (code != 0)
            fail("load", nullptr, "the module has no variable %s: %s", name.c_str(), text_of(code));
        add_variable(find<void>(object, name), address, bytes);
    }
}

}  // namespace

void bind_module(Fields fields, std::vector<char> cubin, void* object) {
    Parts parts = read_parts(fields);
    bind(object, load_cubin(std::move(cubin)), parts);
}

Entry load_module(Fields fields) {
    Parts parts = read_parts(fields);
    allow_reading_only_beside({parts.object, parts.cubin}, needs_of_driver());
    Handle module = *parts.cubin == 0 ? nullptr : load_cubin(read_file(parts.cubin));
    void* object = dlopen(parts.object, RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) fail("load", nullptr, "%s", dlerror());
    if (module != nullptr) {
        bind(object, module, parts);
    } else {
        watch_runtime(find<int()>(object, "hone_last_error"));
    }
    auto entry = reinterpret_cast<Entry>(dlsym(object, "hone_entry"));
    if (entry == nullptr) fail("load", nullptr, "%s has no hone_entry", parts.object);
    return entry;
}

}  // namespace hone
