#include "fiber.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../include/hone/language.h"

#ifndef MAP_STACK
#define MAP_STACK 0
#endif

namespace hone {

Stack make_stack() {
    size_t page = size_t(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, stack_size + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return {nullptr, nullptr};
    char* low = static_cast<char*>(memory) + page;
    mprotect(memory, page, PROT_NONE);
    return {low, low + stack_size};
}

#ifdef HONE_UCONTEXT

void prepare(Context* context, Stack stack, void (*entry)()) {
    getcontext(&context->registers);
    context->registers.uc_stack.ss_sp = stack.low;
    context->registers.uc_stack.ss_size = size_t(stack.high - stack.low);
    context->registers.uc_link = nullptr;
    makecontext(&context->registers, entry, 0);
}

void switch_context(Context* from, Context* to) {
    swapcontext(&from->registers, &to->registers);
}

#else

// hone_switch saves what a call must preserve on the stack it leaves, and
// restores it from the stack it enters. prepare lays out such a frame.
#ifdef __x86_64__
asm(".text\n.globl " HONE_SYMBOL("hone_switch") "\n" HONE_SYMBOL("hone_switch") ":\n"
    "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "mov %rsp, (%rdi)\n"
    "mov %rsi, %rsp\n"
    "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
    "ret\n");

void prepare(Context* context, Stack stack, void (*entry)()) {
    uintptr_t* top = reinterpret_cast<uintptr_t*>(stack.high);
    *--top = 0;  // entry finds its stack aligned as after a call, and nothing to return to
    *--top = reinterpret_cast<uintptr_t>(entry);
    for (int i = 0; i < 6; i++) *--top = 0;
    context->stack_pointer = top;
}
#else
asm(".text\n.globl " HONE_SYMBOL("hone_switch") "\n.p2align 2\n" HONE_SYMBOL("hone_switch") ":\n"
    "sub sp, sp, #160\n"
    "stp x19, x20, [sp, #0]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n"
    "stp x25, x26, [sp, #48]\n stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"
    "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"
    "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
    "mov x9, sp\n str x9, [x0]\n mov sp, x1\n"
    "ldp x19, x20, [sp, #0]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n"
    "ldp x25, x26, [sp, #48]\n ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"
    "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n"
    "ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
    "add sp, sp, #160\n ret\n");

void prepare(Context* context, Stack stack, void (*entry)()) {
    uintptr_t* top = reinterpret_cast<uintptr_t*>(stack.high) - 20;
    for (int i = 0; i < 20; i++) top[i] = 0;
    top[11] = reinterpret_cast<uintptr_t>(entry);  // x30
    context->stack_pointer = top;
}
#endif

#endif

}  // namespace hone
