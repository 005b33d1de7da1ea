#include "shared.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "block.h"
#include "fault.h"

namespace hone {

// Dynamic shared memory is always mapped in full and ends where the arena's first part ends.
void SharedMemory::reserve() {
    page_ = size_t(sysconf(_SC_PAGESIZE));
    void* range = mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t dynamic = (block_shared_limit + page_ - 1) / page_ * page_;
    if (range == MAP_FAILED ||
        mprotect(static_cast<char*>(range) + page_, dynamic, PROT_READ | PROT_WRITE) != 0) {
        fail("out_of_memory", Source(), "no memory for the shared memory of a block");
    }
    arena_ = reinterpret_cast<uintptr_t>(range);
    used_ = page_ + dynamic + page_;
    dynamic_end_ = arena_ + page_ + dynamic;
    variables_[0] = {nullptr, "dynamic shared memory", 0, 0, dynamic_end_, false};
    count_ = 1;
}

void SharedMemory::begin_launch(size_t dynamic_bytes, bool checked, uint8_t poison) {
    if (arena_ == 0) reserve();
    checked_ = checked;
    poison_ = poison;
    if (checked && !shadow_.cover(arena_bytes)) {
        fail("out_of_memory", Source(), "no memory to check shared memory");
    }
    Variable& dynamic = variables_[0];
    dynamic.low = (dynamic_end_ - dynamic_bytes) / 16 * 16;
    dynamic.bytes = dynamic_bytes;
    static_bytes_ = 0;
}

void SharedMemory::begin_block() {
    for (int i = 0; i < live_count_; i++) live_[i]->live = false;
    live_count_ = 0;
    block_static_bytes_ = 0;
    shadow_.next_epoch();
    if (variables_[0].bytes > 0) wake(&variables_[0]);
}

void SharedMemory::wake(Variable* v) {
    v->live = true;
    live_[live_count_++] = v;
    memset(reinterpret_cast<void*>(v->low), poison_, v->bytes);
    if (checked_) shadow_.forget(offset(v->low), v->bytes);
}

void* SharedMemory::dynamic() {
    return reinterpret_cast<void*>(variables_[0].low);
}

void* SharedMemory::variable(const void* key, const char* name, int line, size_t bytes, size_t align) {
    auto is = [&](const Variable& v) {
        return v.key == key && v.name == name && v.line == line && v.bytes == bytes;
    };
    for (int i = 0; i < live_count_; i++) {
        if (is(*live_[i])) return reinterpret_cast<void*>(live_[i]->low);
    }
    Variable* v = nullptr;
    for (int i = 1; i < count_ && v == nullptr; i++) {
        if (is(variables_[i])) v = &variables_[i];
    }
    if (v == nullptr) v = add(key, name, line, bytes, align);
    wake(v);
    block_static_bytes_ += bytes;
    if (block_static_bytes_ > static_bytes_) static_bytes_ = block_static_bytes_;
    if (block_static_bytes_ > static_shared_limit) {
        fail("cuda_error", Source::at_line(line),
             "%s has %zu bytes of static shared memory, with %s; a block has %zu", running.launch->name,
             block_static_bytes_, name, static_shared_limit);
    }
    return reinterpret_cast<void*>(v->low);
}

Variable* SharedMemory::add(const void* key, const char* name, int line, size_t bytes, size_t align) {
    size_t pages = (bytes + page_ - 1) / page_ * page_;
    if (pages == 0) pages = page_;
    if (count_ == max_variables || used_ + pages + page_ > arena_bytes) {
        fail("out_of_memory", Source::at_line(line), "too many shared variables for the emulation");
    }
    uintptr_t start = arena_ + used_;
    mprotect(reinterpret_cast<void*>(start), pages, PROT_READ | PROT_WRITE);
    used_ += pages + page_;
    variables_[count_] = {key, name, line, bytes, (start + pages - bytes) / align * align, false};
    return &variables_[count_++];
}

const Variable* SharedMemory::find(uintptr_t address, size_t bytes) {
    for (int i = 0; i < live_count_; i++) {
        if (!live_[i]->contains(address, bytes)) continue;
        Variable* hit = live_[i];
        live_[i] = live_[0];
        live_[0] = hit;
        return hit;
    }
    return nullptr;
}

const Variable* SharedMemory::closest(uintptr_t address) const {
    const Variable* best = nullptr;
    size_t best_distance = ~size_t(0);
    for (int i = 0; i < live_count_; i++) {
        const Variable& v = *live_[i];
        size_t distance = address < v.low ? v.low - address : address - v.high();
        if (address >= v.low && address < v.high()) distance = 0;
        if (distance >= best_distance) continue;
        best_distance = distance;
        best = &v;
    }
    return best;
}

}  // namespace hone
