// The checked build: g++ -fsanitize=thread calls one of these functions before
// every access to memory. Here they say whether a CUDA program may make it.
#include <atomic>
#include <string.h>

#include "block.h"
#include "fault.h"
#include "launch.h"
#include "memory.h"
#include "module.h"

namespace hone {
namespace {

enum class Use { read, write, atomic };

// Seen is a few regions that were looked up last, so that most accesses cost a comparison.
struct Seen {
    unsigned generation;
    Region regions[16];
};
__thread Seen seen;

unsigned slot(uintptr_t address) {
    return unsigned(address >> 16 ^ address >> 24) % 16;
}

const char* verb(Use use) {
    return use == Use::read ? "read" : "wrote";
}

// Numbers are told in elements when the access is one of a plausible size.
[[noreturn]] void out_of_bounds(const char* what, const char* name, long long offset, size_t size,
                                size_t bytes, Use use, Source source) {
    if (bytes > 0 && bytes <= 16 && offset % static_cast<long long>(bytes) == 0) {
        fail("out_of_bounds", source,
             "the kernel %s element %lld of %s%s, which has %zu elements of %zu bytes", verb(use),
             offset / static_cast<long long>(bytes), what, name, size / bytes, bytes);
    }
    fail("out_of_bounds", source, "the kernel %s %zu bytes at byte %lld of %s%s, which has %zu bytes",
         verb(use), bytes, offset, what, name, size);
}

[[noreturn]] void bad_global(uintptr_t address, size_t bytes, Use use, Source source) {
    Region region;
    if (!nearest(address, &region)) {
        fail("illegal_address", source, "the kernel %s address 0x%llx of device memory, where nothing is",
             verb(use), static_cast<unsigned long long>(address));
    }
    if (region.freed_line != 0) {
        fail("illegal_address", source, "the kernel used %s after it was freed in line %d", region.name,
             region.freed_line);
    }
    out_of_bounds("", region.name, static_cast<long long>(address) - static_cast<long long>(region.low),
                  region.bytes(), bytes, use, source);
}

void note_input_write(const Region& region, Source source) {
    Finding finding = {"input_write", "warning", source, Source()};
    if (wanted(finding))
        find(finding, "the kernel wrote to its input %s in line %d", region.name, resolve(source));
}

void check_global(uintptr_t address, size_t bytes, Use use, Source source) {
    if (seen.generation != memory_generation()) {
        memset(&seen, 0, sizeof(seen));
        seen.generation = memory_generation();
    }
    Region& region = seen.regions[slot(address)];
    if (!region.contains(address, bytes)) {
        Region found;
        if (!region_of(address, &found) || !found.contains(address, bytes)) {
            bad_global(address, bytes, use, source);
        }
        region = found;
    }
    if (use != Use::read && region.read_only) note_input_write(region, source);
}

// Touched is an access to a shared variable.
struct Touched {
    const Variable& variable;
    uintptr_t address;
    size_t bytes;
};

// Name is what a person calls the place: counted in accesses of its size where that comes out even.
struct Name {
    char text[96];
    explicit Name(const Touched& t) {
        size_t offset = t.address - t.variable.low;
        bool even = t.bytes > 0 && t.bytes <= 16 && offset % t.bytes == 0;
        snprintf(text, sizeof(text), "%s %zu of %s%s", even ? "element" : "byte",
                 even ? offset / t.bytes : offset, t.variable.key == nullptr ? "" : "shared ",
                 t.variable.name);
    }
};

uint3 index_of(unsigned thread) {
    return {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / (blockDim.x * blockDim.y)};
}

void report_race(const Touched& touched, const Access& earlier, Use use, Source source) {
    Source there = {0, module().base + earlier.code};
    // The same pair of places is one finding, whichever came first.
    bool swap = there.address < source.address;
    Finding finding = {"race", "warning", swap ? there : source, swap ? source : there};
    if (!wanted(finding)) return;
    uint3 other = index_of(earlier.thread);
    find(finding,
         "thread (%u,%u,%u) %s %s in line %d, which thread (%u,%u,%u) %s in line %d with no barrier between; "
         "block (%u,%u,%u) of %s",
         threadIdx.x, threadIdx.y, threadIdx.z, verb(use), Name(touched).text, resolve(source), other.x,
         other.y, other.z, earlier.write ? "wrote" : "read", resolve(there), blockIdx.x, blockIdx.y,
         blockIdx.z, running.launch->name);
}

void report_unwritten(const Touched& touched, Source source) {
    Finding finding = {"uninitialised_shared", "warning", source, Source()};
    if (!wanted(finding)) return;
    find(finding, "thread (%u,%u,%u) read %s in line %d before any thread wrote it; block (%u,%u,%u) of %s",
         threadIdx.x, threadIdx.y, threadIdx.z, Name(touched).text, resolve(source), blockIdx.x, blockIdx.y,
         blockIdx.z, running.launch->name);
}

void check_shared(uintptr_t address, size_t bytes, Use use, Source source) {
    Executor& executor = *running.executor;
    SharedMemory& shared = executor.shared;
    const Variable* v = shared.find(address, bytes);
    if (v == nullptr) {
        v = shared.closest(address);
        if (v == nullptr)
            fail("out_of_bounds", source, "the kernel %s shared memory of another kernel", verb(use));
        out_of_bounds(v->key == nullptr ? "" : "shared ", v->name,
                      static_cast<long long>(address) - static_cast<long long>(v->low), v->bytes, bytes, use,
                      source);
    }
    Shadow& shadow = *shared.shadow();
    size_t offset = shared.offset(address);
    unsigned thread = executor.linear();
    // A structure is copied with its padding, which nobody writes.
    bool unwritten = bytes <= 16 ? shadow.any_unwritten(offset, bytes) : shadow.all_unwritten(offset, bytes);
    if (use != Use::write && unwritten) report_unwritten(Touched{*v, address, bytes}, source);
    if (use != Use::read) shadow.mark_written(offset, bytes);
    Access access = {};
    access.code = uint32_t(source.address - module().base);
    access.thread = uint16_t(thread);
    access.write = use != Use::read;
    access.atomic = use == Use::atomic;
    const Access* earlier = shadow.record(offset, bytes, access, executor.clock_of(thread));
    if (earlier != nullptr) report_race(Touched{*v, address, bytes}, *earlier, use, source);
}

bool own_coordinates(uintptr_t address) {
    auto in = [address](const void* low, size_t bytes) { return address - uintptr_t(low) < bytes; };
    return in(&threadIdx, sizeof(threadIdx)) || in(&blockIdx, sizeof(blockIdx)) ||
           in(&blockDim, sizeof(blockDim)) || in(&gridDim, sizeof(gridDim)) ||
           in(&hone_lane, sizeof(hone_lane)) || in(running.executor, sizeof(Executor));
}

void check_host(uintptr_t address, Use use, Source source) {
    Region region;
    if (!is_device_range(address)) return;
    if (region_of(address, &region) && region.host_may_use()) return;
    const char* name = nearest(address, &region) ? region.name : "nothing that is allocated";
    fail("illegal_address", source, "host code %s device memory (%s): use cudaMemcpy or a kernel", verb(use),
         name);
}

void check_rest(uintptr_t address, size_t bytes, Use use, Source source) {
    if (running.executor->shared.in_arena(address)) return check_shared(address, bytes, use, source);
    if (is_device_range(address)) return check_global(address, bytes, use, source);
    if (address >= module().low && address < module().high) return;
    if (in_kernel_memory(address) || own_coordinates(address)) return;
    if (address < 4096) fail("illegal_address", source, "the kernel %s through a null pointer", verb(use));
    fail("illegal_address", source, "the kernel %s memory of the host: pass a device pointer or a value",
         verb(use));
}

inline void check(const volatile void* pointer, size_t bytes, Use use, const void* returns_to) {
    uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    if (address - running.stack_low < running.stack_bytes) return;
    Source source = Source::at_call(returns_to);
    if (running.launch == nullptr) return check_host(address, use, source);
    check_rest(address, bytes, use, source);
}

}  // namespace
}  // namespace hone

using hone::Use;

#define HONE_HERE __builtin_return_address(0)
#define HONE_ACCESS(name, bytes, use)                     \
    extern "C" void __tsan_##name(void* address) {        \
        hone::check(address, bytes, Use::use, HONE_HERE); \
    }
#define HONE_ACCESSES(bytes)                                 \
    HONE_ACCESS(read##bytes, bytes, read)                    \
    HONE_ACCESS(write##bytes, bytes, write)                  \
    HONE_ACCESS(unaligned_read##bytes, bytes, read)          \
    HONE_ACCESS(unaligned_write##bytes, bytes, write)        \
    HONE_ACCESS(volatile_read##bytes, bytes, read)           \
    HONE_ACCESS(volatile_write##bytes, bytes, write)         \
    HONE_ACCESS(unaligned_volatile_read##bytes, bytes, read) \
    HONE_ACCESS(unaligned_volatile_write##bytes, bytes, write)
HONE_ACCESSES(1)
HONE_ACCESSES(2)
HONE_ACCESSES(4)
HONE_ACCESSES(8)
HONE_ACCESSES(16)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** pointer, void*) {
    hone::check(pointer, sizeof(void*), Use::write, HONE_HERE);
}
void __tsan_vptr_read(void** pointer) {
    hone::check(pointer, sizeof(void*), Use::read, HONE_HERE);
}
void __tsan_read_range(void* address, unsigned long bytes) {
    if (bytes > 0) hone::check(address, bytes, Use::read, HONE_HERE);
}
void __tsan_write_range(void* address, unsigned long bytes) {
    if (bytes > 0) hone::check(address, bytes, Use::write, HONE_HERE);
}
void __tsan_atomic_thread_fence(int) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
void __tsan_atomic_signal_fence(int) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}
}

// What the header makes of memcpy, memmove and memset in the checked build, and
// what clang makes of them by itself.
#define HONE_COPY(name, function)                                     \
    extern "C" void* name(void* to, const void* from, size_t bytes) { \
        if (bytes == 0) return to;                                    \
        hone::check(from, bytes, Use::read, HONE_HERE);               \
        hone::check(to, bytes, Use::write, HONE_HERE);                \
        return function(to, from, bytes);                             \
    }
#define HONE_FILL(name)                                        \
    extern "C" void* name(void* to, int value, size_t bytes) { \
        if (bytes == 0) return to;                             \
        hone::check(to, bytes, Use::write, HONE_HERE);         \
        return memset(to, value, bytes);                       \
    }
HONE_COPY(hone_memcpy, memcpy)
HONE_COPY(hone_memmove, memmove)
HONE_FILL(hone_memset)
HONE_COPY(__tsan_memcpy, memcpy)
HONE_COPY(__tsan_memmove, memmove)
HONE_FILL(__tsan_memset)

#define HONE_FETCH(bits, type, name, builtin)                                               \
    extern "C" type __tsan_atomic##bits##_##name(volatile type* address, type value, int) { \
        hone::check(address, bits / 8, Use::atomic, HONE_HERE);                             \
        return builtin(address, value, __ATOMIC_SEQ_CST);                                   \
    }
#define HONE_COMPARE(bits, type, name)                                                                   \
    extern "C" int __tsan_atomic##bits##_##name(volatile type* address, type* expected, type value, int, \
                                                int) {                                                   \
        hone::check(address, bits / 8, Use::atomic, HONE_HERE);                                          \
        return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,            \
                                           __ATOMIC_SEQ_CST);                                            \
    }
#define HONE_ATOMICS(bits, type)                                                                           \
    extern "C" type __tsan_atomic##bits##_load(const volatile type* address, int) {                        \
        hone::check(address, bits / 8, Use::atomic, HONE_HERE);                                            \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                 \
    }                                                                                                      \
    extern "C" void __tsan_atomic##bits##_store(volatile type* address, type value, int) {                 \
        hone::check(address, bits / 8, Use::atomic, HONE_HERE);                                            \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                \
    }                                                                                                      \
    HONE_FETCH(bits, type, exchange, __atomic_exchange_n)                                                  \
    HONE_FETCH(bits, type, fetch_add, __atomic_fetch_add)                                                  \
    HONE_FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                                  \
    HONE_FETCH(bits, type, fetch_and, __atomic_fetch_and)                                                  \
    HONE_FETCH(bits, type, fetch_or, __atomic_fetch_or)                                                    \
    HONE_FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                                  \
    HONE_FETCH(bits, type, fetch_nand, __atomic_fetch_nand)                                                \
    HONE_COMPARE(bits, type, compare_exchange_strong)                                                      \
    HONE_COMPARE(bits, type, compare_exchange_weak)                                                        \
    extern "C" type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected,      \
                                                               type value, int, int) {                     \
        hone::check(address, bits / 8, Use::atomic, HONE_HERE);                                            \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return expected;                                                                                   \
    }
HONE_ATOMICS(8, uint8_t)
HONE_ATOMICS(16, uint16_t)
HONE_ATOMICS(32, uint32_t)
HONE_ATOMICS(64, uint64_t)
