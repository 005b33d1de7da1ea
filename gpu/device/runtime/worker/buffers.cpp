#include "buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"
#include "fault.h"

namespace hone {
namespace {

constexpr int file_descriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int device_memory = 1;    // CU_MEM_LOCATION_TYPE_DEVICE
constexpr int read_only = 1, read_write = 3;

// Addresses that nothing backs follow each buffer, so that a kernel that leaves
// it meets them and no other buffer.
constexpr size_t gap = size_t(2) << 20;

struct Buffer {
    char name[64];
    size_t bytes, size, offset;  // of the tensor, of the allocation, of the tensor within
    bool writable, from_file;
    size_t set;
    Allocation allocation;
    Address address;
    void* file;  // as it is mapped, where it has one
};

std::vector<Buffer> buffers;
std::vector<Set> sets;

void need(const Buffer& b, const char* call, int code) {
    if (code != 0)
        fail("load", nullptr, "buffer %s of %zu bytes: %s: %s (%s)", b.name, b.size, call, text_of(code),
             name_of(code));
}

Buffer read_buffer(Fields* fields) {
    Buffer b = {};
    snprintf(b.name, sizeof(b.name), "%s", fields->next_field());
    b.bytes = strtoull(fields->next_field(), nullptr, 10);
    b.writable = strcmp(fields->next_field(), "w") == 0;
    b.size = strtoull(fields->next_field(), nullptr, 10);
    b.offset = strtoull(fields->next_field(), nullptr, 10);
    b.from_file = strcmp(fields->next_field(), "file") == 0;
    if (b.size == 0 || b.offset > b.size || b.bytes > b.size - b.offset)
        fail("request", nullptr, "buffer %s: %zu bytes at %zu lie outside of %zu", b.name, b.bytes, b.offset,
             b.size);
    return b;
}

void import(Buffer* b, int descriptor) {
    const Driver& d = driver();
    need(*b, "cuMemImportFromShareableHandle",
         d.cuMemImportFromShareableHandle(&b->allocation, reinterpret_cast<void*>(intptr_t(descriptor)),
                                          file_descriptor));
    need(*b, "cuMemAddressReserve", d.cuMemAddressReserve(&b->address, b->size + gap, 0, 0, 0));
    need(*b, "cuMemMap", d.cuMemMap(b->address, b->size, 0, b->allocation, 0));
    Access access = {{device_memory, device_number()}, b->writable ? read_write : read_only};
    need(*b, "cuMemSetAccess", d.cuMemSetAccess(b->address, b->size, &access, 1));
}

void allocate(Buffer* b, int descriptor) {
    int rights = b->writable ? PROT_READ | PROT_WRITE : PROT_READ;
    b->file = mmap(nullptr, b->size, rights, MAP_SHARED, descriptor, 0);
    if (b->file == MAP_FAILED) fail("load", nullptr, "buffer %s of %zu bytes: mmap: %m", b->name, b->size);
    need(*b, "cuMemAlloc", driver().cuMemAlloc_v2(&b->address, b->size));
}

// unmap leaves the address taken until other buffers have been mapped: one given back
// could be the next one.
void unmap(const Buffer& b) {
    if (b.from_file) {
        munmap(b.file, b.size);
        return;
    }
    need(b, "cuMemUnmap", driver().cuMemUnmap(b.address, b.size));
    need(b, "cuMemRelease", driver().cuMemRelease(b.allocation));
}
void free_address(const Buffer& b) {
    if (b.from_file) {
        need(b, "cuMemFree", driver().cuMemFree_v2(b.address));
        return;
    }
    need(b, "cuMemAddressFree", driver().cuMemAddressFree(b.address, b.size + gap));
}

}  // namespace

void map_buffers(Fields fields, const Incoming& message) {
    std::vector<Buffer> old;
    old.swap(buffers);
    sets.clear();
    for (const Buffer& b : old) unmap(b);
    int next = 0;
    while (const char* line = fields.next_line()) {
        if (strcmp(line, "set") == 0) sets.emplace_back();
        if (strcmp(line, "buffer") != 0) continue;
        Buffer b = read_buffer(&fields);
        if (next == message.descriptor_count)
            fail("request", nullptr, "no descriptor came for buffer %s", b.name);
        (b.from_file ? allocate : import)(&b, message.descriptors[next++]);
        if (sets.empty()) sets.emplace_back();
        b.set = sets.size() - 1;
        sets.back().push_back(reinterpret_cast<void*>(b.address + b.offset));
        buffers.push_back(b);
    }
    for (const Buffer& b : old) free_address(b);
    for (int i = 0; i < message.descriptor_count; i++) close(message.descriptors[i]);
}

void fill_set(size_t set) {
    for (const Buffer& b : buffers) {
        if (b.from_file && b.set == set)
            need(b, "cuMemcpyHtoD", driver().cuMemcpyHtoD_v2(b.address, b.file, b.size));
    }
}

void return_set(size_t set) {
    for (const Buffer& b : buffers) {
        if (b.from_file && b.set == set && b.writable)
            need(b, "cuMemcpyDtoH", driver().cuMemcpyDtoH_v2(b.file, b.address, b.size));
    }
}

const std::vector<Set>& buffer_sets() {
    return sets;
}

const char* buffer_at(uintptr_t address) {
    for (const Buffer& b : buffers) {
        if (address >= b.address && address < b.address + b.size) return b.name;
    }
    return nullptr;
}

}  // namespace hone
