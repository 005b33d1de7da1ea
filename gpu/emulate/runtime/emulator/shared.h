// The shared memory of the block that runs on one OS thread.
#ifndef HONE_SHARED_H
#define HONE_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include "race.h"

namespace hone {

constexpr size_t static_shared_limit = 48 << 10;
constexpr size_t block_shared_limit = 227 << 10;

// Variable is one shared variable. Its data ends where an inaccessible page
// begins, and it is poisoned when a block first asks for it.
struct Variable {
    const void* key;
    const char* name;
    int line;
    size_t bytes;
    uintptr_t low;
    bool live;  // asked for by this block

    uintptr_t high() const { return low + bytes; }
    bool contains(uintptr_t address, size_t n) const { return address >= low && address + n <= high(); }
};

class SharedMemory {
  public:
    SharedMemory() = default;
    SharedMemory(const SharedMemory&) = delete;

    // begin_launch sets the size of dynamic shared memory; begin_block makes all content undefined.
    void begin_launch(size_t dynamic_bytes, bool checked, uint8_t poison);
    void begin_block();

    void* variable(const void* key, const char* name, int line, size_t bytes, size_t align);
    void* dynamic();
    // static_bytes is what the variables asked for in this launch add up to.
    size_t static_bytes() const { return static_bytes_; }

    bool in_arena(uintptr_t address) const { return address - arena_ < arena_bytes; }
    // find returns the variable that contains the access, or null.
    const Variable* find(uintptr_t address, size_t bytes);
    // closest returns the living variable nearest to an address outside all of them.
    const Variable* closest(uintptr_t address) const;

    size_t offset(uintptr_t address) const { return address - arena_; }
    Shadow* shadow() { return &shadow_; }

    static constexpr size_t arena_bytes = 4 << 20;

  private:
    static constexpr int max_variables = 256;
    void reserve();
    void wake(Variable* variable);
    Variable* add(const void* key, const char* name, int line, size_t bytes, size_t align);

    uintptr_t arena_ = 0;
    uintptr_t dynamic_end_ = 0;
    size_t used_ = 0;
    size_t page_ = 0;
    Variable variables_[max_variables];  // the first is dynamic shared memory
    int count_ = 0;
    Variable* live_[max_variables];
    int live_count_ = 0;
    size_t static_bytes_ = 0;
    size_t block_static_bytes_ = 0;
    bool checked_ = false;
    uint8_t poison_ = 0;
    Shadow shadow_;
};

}  // namespace hone

#endif
