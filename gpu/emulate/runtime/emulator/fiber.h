// Switching between stacks of one OS thread.
#ifndef HONE_FIBER_H
#define HONE_FIBER_H

#include <stddef.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define HONE_UCONTEXT
#include <ucontext.h>
#endif

namespace hone {

// Context is where a stack that does not run stands.
struct Context {
#ifdef HONE_UCONTEXT
    ucontext_t registers;
#else
    void* stack_pointer;
#endif
};

constexpr size_t stack_size = 128 << 10;

// Stack is memory for one fiber above an inaccessible page. low is null when there was no memory.
struct Stack {
    char* low;
    char* high;
};
Stack make_stack();

// prepare makes context start entry, which must not return, when it is switched to.
void prepare(Context* context, Stack stack, void (*entry)());

// switch_context stops the running stack in from and goes on in to.
#ifdef HONE_UCONTEXT
void switch_context(Context* from, Context* to);
#else
extern "C" void hone_switch(void** from, void* to);
inline void switch_context(Context* from, Context* to) {
    hone_switch(&from->stack_pointer, to->stack_pointer);
}
#endif

}  // namespace hone

#endif
