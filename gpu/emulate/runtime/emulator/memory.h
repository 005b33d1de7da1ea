// Device memory: the buffers of a call and what cudaMalloc gives. All of it lies
// in one reserved range of addresses, each piece between inaccessible pages and
// at an address not used before.
#ifndef HONE_MEMORY_MAP_H
#define HONE_MEMORY_MAP_H

#include <stddef.h>
#include <stdint.h>

namespace hone {

enum class Kind : uint8_t { buffer, allocated, managed, pinned };

// Region is one piece of memory that kernels may use.
struct Region {
    uintptr_t low, high;          // the data, exactly
    uintptr_t map_low, map_high;  // the pages around it
    Kind kind;
    bool read_only;  // an input of the task
    int freed_line;  // where it was freed; 0 while it lives
    char name[64];

    size_t bytes() const { return high - low; }
    bool contains(uintptr_t address, size_t n) const { return address >= low && address + n <= high; }
    bool host_may_use() const { return kind == Kind::managed || kind == Kind::pinned; }
};

void reserve_memory(size_t limit);
size_t memory_limit();
size_t memory_used();

// map_buffers replaces all buffers of a call. map_buffer adds one that lies in
// the file; it returns null, and says why, when the file does not fit the size.
void unmap_buffers();
void* map_buffer(const char* name, size_t bytes, bool read_only, int descriptor, const char** reason);

void* allocate(size_t bytes, Kind kind, const char* name, uint8_t poison);
// free_memory returns false when address is not the start of a living region of a fitting kind.
bool free_memory(void* address, bool pinned, int line);

bool is_device_range(uintptr_t address);
// region_of returns the living region that contains the address; false when there is none.
bool region_of(uintptr_t address, Region* region);
// nearest returns the region, living or freed, whose pages or guards contain the address.
bool nearest(uintptr_t address, Region* region);
// memory_generation changes when a region is added or removed.
unsigned memory_generation();

}  // namespace hone

#endif
