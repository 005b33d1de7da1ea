#include "memory.h"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <mutex>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

namespace hone {
namespace {

constexpr size_t alignment = 256;
constexpr size_t max_remembered = 64;  // freed regions, to name them in a fault

std::mutex lock;
std::vector<Region> regions;  // living, by address
std::vector<Region> freed;    // oldest first
std::atomic<unsigned> generation{1};
uintptr_t range_low, range_high, next_free;
size_t page, limit, used;
uint64_t gap_state = 0x9e3779b97f4a7c15;

size_t round_up(size_t n, size_t unit) {
    return (n + unit - 1) / unit * unit;
}

// Between regions lie one to sixteen inaccessible pages, so that no candidate can count on a distance.
size_t gap() {
    gap_state = gap_state * 6364136223846793005 + 1442695040888963407;
    return page * (1 + (gap_state >> 60));
}

bool overlaps(uintptr_t low, uintptr_t high) {
    for (const Region& r : regions) {
        if (low < r.map_high + 16 * page && r.map_low < high + 16 * page) return true;
    }
    return false;
}

// place returns the start of free addresses. They are used again only when the whole range has been.
uintptr_t place(size_t bytes) {
    size_t needed = bytes + 32 * page;
    if (needed > range_high - range_low) return 0;
    for (int turn = 0; turn < 2; turn++) {
        for (; next_free + needed <= range_high; next_free += std::max(needed, range_high / 4096)) {
            uintptr_t low = next_free + 16 * page + gap();
            if (overlaps(low, low + bytes)) continue;
            next_free = low + bytes;
            return low;
        }
        next_free = range_low;
    }
    return 0;
}

void insert(const Region& region) {
    auto at = std::lower_bound(regions.begin(), regions.end(), region,
                               [](const Region& a, const Region& b) { return a.low < b.low; });
    regions.insert(at, region);
    generation++;
}

void release(const Region& region) {
    mmap(reinterpret_cast<void*>(region.map_low), region.map_high - region.map_low, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    generation++;
}

Region describe(const char* name, uintptr_t data, size_t bytes, uintptr_t map_low, size_t map_bytes,
                Kind kind) {
    Region r = {data, data + bytes, map_low, map_low + map_bytes, kind, false, 0, {}};
    snprintf(r.name, sizeof(r.name), "%s", name);
    return r;
}

}  // namespace

void reserve_memory(size_t bytes) {
    page = size_t(sysconf(_SC_PAGESIZE));
    limit = bytes;
    for (size_t size = size_t(1) << 40; size >= size_t(1) << 30; size /= 2) {
        void* range = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) continue;
        range_low = next_free = reinterpret_cast<uintptr_t>(range);
        range_high = range_low + size;
        gap_state ^= range_low;
        return;
    }
}

size_t memory_limit() {
    return limit;
}
size_t memory_used() {
    return used;
}
unsigned memory_generation() {
    return generation.load(std::memory_order_relaxed);
}
bool is_device_range(uintptr_t address) {
    return address - range_low < range_high - range_low;
}

void unmap_buffers() {
    std::lock_guard<std::mutex> hold(lock);
    for (const Region& r : regions) {
        if (r.kind == Kind::buffer) release(r);
    }
    regions.erase(std::remove_if(regions.begin(), regions.end(),
                                 [](const Region& r) { return r.kind == Kind::buffer; }),
                  regions.end());
}

void* map_buffer(const char* name, size_t bytes, bool read_only, int descriptor, const char** reason) {
    std::lock_guard<std::mutex> hold(lock);
    struct stat status;
    if (fstat(descriptor, &status) != 0 || size_t(status.st_size) < bytes) {
        *reason = "its file is too small";
        return nullptr;
    }
    size_t file = size_t(status.st_size);
    size_t mapped = std::max(round_up(file, page), page);
    uintptr_t low = place(mapped);
    int flags = MAP_SHARED | MAP_FIXED;
    void* to = reinterpret_cast<void*>(low);
    if (low == 0 || (mmap(to, mapped, PROT_READ | PROT_WRITE, flags, descriptor, 0) == MAP_FAILED &&
                     mmap(to, mapped, PROT_READ, flags, descriptor, 0) == MAP_FAILED)) {
        *reason = "it cannot be mapped";
        return nullptr;
    }
    uintptr_t data = low + (file - bytes) / alignment * alignment;
    Region region = describe(name, data, bytes, low, mapped, Kind::buffer);
    region.read_only = read_only;
    insert(region);
    return reinterpret_cast<void*>(data);
}

void* allocate(size_t bytes, Kind kind, const char* name, uint8_t poison) {
    std::lock_guard<std::mutex> hold(lock);
    if (bytes > limit || used > limit - bytes) return nullptr;
    size_t mapped = round_up(bytes + alignment, page);
    uintptr_t low = place(mapped);
    void* to = reinterpret_cast<void*>(low);
    if (low == 0 || mprotect(to, mapped, PROT_READ | PROT_WRITE) != 0) return nullptr;
    uintptr_t data = low + (mapped - bytes) / alignment * alignment;
    memset(reinterpret_cast<void*>(data), poison, bytes);
    used += bytes;
    insert(describe(name, data, bytes, low, mapped, kind));
    return reinterpret_cast<void*>(data);
}

bool free_memory(void* address, bool pinned, int line) {
    std::lock_guard<std::mutex> hold(lock);
    for (size_t i = 0; i < regions.size(); i++) {
        Region& r = regions[i];
        if (r.low != reinterpret_cast<uintptr_t>(address) || r.kind == Kind::buffer) continue;
        if ((r.kind == Kind::pinned) != pinned) return false;
        release(r);
        used -= r.bytes();
        r.freed_line = line;
        if (freed.size() == max_remembered) freed.erase(freed.begin());
        freed.push_back(r);
        regions.erase(regions.begin() + long(i));
        return true;
    }
    return false;
}

bool region_of(uintptr_t address, Region* region) {
    std::lock_guard<std::mutex> hold(lock);
    auto at = std::upper_bound(regions.begin(), regions.end(), address,
                               [](uintptr_t a, const Region& r) { return a < r.low; });
    if (at == regions.begin()) return false;
    *region = *--at;
    return address < region->high;
}

// nearest takes no lock: it runs in signal handlers, of a process about to end.
bool nearest(uintptr_t address, Region* region) {
    size_t best = 16 * page;
    bool found = false;
    for (const std::vector<Region>* list : {&regions, &freed}) {
        for (const Region& r : *list) {
            size_t distance = address < r.low ? r.low - address : address >= r.high ? address - r.high : 0;
            if (distance >= best) continue;
            best = distance;
            *region = r;
            found = true;
        }
    }
    return found;
}

}  // namespace hone
