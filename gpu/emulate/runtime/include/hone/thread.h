// The coordinates of the running thread, and its barriers.
#ifndef HONE_THREAD_H
#define HONE_THREAD_H

// Written by the emulator for each thread that it runs. Not const, so that the
// compiler reads them anew in each thread of a loop.
HONE_EMULATOR HONE_THREAD_LOCAL uint3 threadIdx;
HONE_EMULATOR HONE_THREAD_LOCAL uint3 blockIdx;
HONE_EMULATOR HONE_THREAD_LOCAL dim3 blockDim;
HONE_EMULATOR HONE_THREAD_LOCAL dim3 gridDim;
constexpr int warpSize = 32;

// Lines are those of the call in the user's text: a default argument stands where the call stands.
#define HONE_LINE int line = __builtin_LINE()

namespace hone {
enum class Vote { none, count, all, any };
}

// hone_barrier waits for all threads of the block and returns the vote over their predicates.
HONE_EMULATOR int hone_barrier(hone::Vote vote, int predicate, int line);
// hone_yield lets the other threads of the block run: a thread that spins calls it.
HONE_EMULATOR void hone_yield();
HONE_EMULATOR void hone_fence();
HONE_EMULATOR long long hone_clock();
HONE_EMULATOR void hone_trap(int line) __attribute__((noreturn));

HONE_INLINE void __syncthreads(HONE_LINE) {
    hone_barrier(hone::Vote::none, 0, line);
}
HONE_INLINE int __syncthreads_count(int predicate, HONE_LINE) {
    return hone_barrier(hone::Vote::count, predicate, line);
}
HONE_INLINE int __syncthreads_and(int predicate, HONE_LINE) {
    return hone_barrier(hone::Vote::all, predicate, line);
}
HONE_INLINE int __syncthreads_or(int predicate, HONE_LINE) {
    return hone_barrier(hone::Vote::any, predicate, line);
}

HONE_INLINE void __threadfence() {
    hone_fence();
}
HONE_INLINE void __threadfence_block() {
    hone_fence();
}
HONE_INLINE void __threadfence_system() {
    hone_fence();
}
HONE_INLINE void __nanosleep(unsigned) {
    hone_yield();
}
HONE_INLINE void __trap(HONE_LINE) {
    hone_trap(line);
}
HONE_INLINE void __brkpt(HONE_LINE) {
    hone_trap(line);
}
HONE_INLINE void __prof_trigger(int) {}

// Clocks count nanoseconds of the CPU: they say nothing of a GPU.
HONE_INLINE long long clock64() {
    return hone_clock();
}
HONE_INLINE unsigned long long __globaltimer() {
    return hone_clock();
}

#endif
