#include "buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    bool writable;
    Allocation allocation;
    Address address;
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
    if (b.size == 0 || b.offset > b.size || b.bytes > b.size - b.offset)
        fail("request", nullptr, "buffer %s: %zu bytes at %zu lie outside of %zu", b.name, b.bytes, b.offset,
             b.size);
    return b;
}

void map_buffer(Buffer* b, int descriptor) {
    const Driver& d = driver();
    need(*b, "cuMemImportFromShareableHandle",
         d.cuMemImportFromShareableHandle(&b->allocation, reinterpret_cast<void*>(intptr_t(descriptor)),
                                          file_descriptor));
    need(*b, "cuMemAddressReserve", d.cuMemAddressReserve(&b->address, b->size + gap, 0, 0, 0));
    need(*b, "cuMemMap", d.cuMemMap(b->address, b->size, 0, b->allocation, 0));
    Access access = {{device_memory, device_number()}, b->writable ? read_write : read_only};
    need(*b, "cuMemSetAccess", d.cuMemSetAccess(b->address, b->size, &access, 1));
}

}  // namespace

void map_buffers(Fields fields, const Incoming& message) {
    std::vector<Buffer> old;
    old.swap(buffers);
    sets.clear();
    for (const Buffer& b : old) {
        need(b, "cuMemUnmap", driver().cuMemUnmap(b.address, b.size));
        need(b, "cuMemRelease", driver().cuMemRelease(b.allocation));
    }
    int next = 0;
    while (const char* line = fields.next_line()) {
        if (strcmp(line, "set") == 0) sets.emplace_back();
        if (strcmp(line, "buffer") != 0) continue;
        Buffer b = read_buffer(&fields);
        if (next == message.descriptor_count)
            fail("request", nullptr, "no descriptor came for buffer %s", b.name);
        map_buffer(&b, message.descriptors[next++]);
        if (sets.empty()) sets.emplace_back();
        sets.back().push_back(reinterpret_cast<void*>(b.address + b.offset));
        buffers.push_back(b);
    }
    // Only now: an address given back could be the next one.
    for (const Buffer& b : old)
        need(b, "cuMemAddressFree", driver().cuMemAddressFree(b.address, b.size + gap));
    for (int i = 0; i < message.descriptor_count; i++) close(message.descriptors[i]);
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
