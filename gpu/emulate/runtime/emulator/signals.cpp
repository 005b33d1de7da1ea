#include "signals.h"

#include <initializer_list>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "block.h"
#include "contain.h"
#include "fault.h"
#include "memory.h"

namespace hone {
namespace {

constexpr size_t signal_stack_size = 256 << 10;

// program_counter is where the signal interrupted the program; 0 where that is not known.
uintptr_t program_counter(void* context) {
    [[maybe_unused]] ucontext_t* u = static_cast<ucontext_t*>(context);
#if defined(__linux__) && defined(__x86_64__)
    return uintptr_t(u->uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
    return uintptr_t(u->uc_mcontext.pc);
#else
    return 0;
#endif
}

[[noreturn]] void bad_access(uintptr_t address, Source source) {
    const char* who = running.launch != nullptr ? "the kernel" : "host code";
    Region region;
    if (address < 4096) fail("illegal_address", source, "%s used a null pointer", who);
    if (is_device_range(address) && nearest(address, &region)) {
        if (region.freed_line != 0) {
            fail("illegal_address", source, "%s used %s after it was freed in line %d", who, region.name,
                 region.freed_line);
        }
        long long offset = static_cast<long long>(address) - static_cast<long long>(region.low);
        if (offset >= 0 && address < region.high)
            fail("illegal_address", source, "%s wrote to %s, which cannot be written", who, region.name);
        fail("out_of_bounds", source, "%s accessed byte %lld of %s, which has %zu bytes", who, offset,
             region.name, region.bytes());
    }
    if (running.launch != nullptr && running.executor->shared.in_arena(address)) {
        const Variable* v = running.executor->shared.closest(address);
        if (v != nullptr) {
            fail("out_of_bounds", source, "the kernel accessed byte %lld of %s%s, which has %zu bytes",
                 static_cast<long long>(address) - static_cast<long long>(v->low),
                 v->key == nullptr ? "" : "shared ", v->name, v->bytes);
        }
    }
    if (running.launch != nullptr && running.stack_low - address < 64 << 10) {
        fail("out_of_memory", source, "the kernel used more than %zu bytes of stack", stack_size);
    }
    fail("illegal_address", source, "%s accessed address 0x%llx, which is no memory of its own", who,
         static_cast<unsigned long long>(address));
}

void on_signal(int number, siginfo_t* info, void* context) {
    Source source;
    source.address = program_counter(context);
    switch (number) {
        case SIGSEGV:
        case SIGBUS:
            bad_access(reinterpret_cast<uintptr_t>(info->si_addr), source);
        case SIGABRT:
            fail("abort", source, "the program called abort");
        case SIGFPE:
            fail("signal", source, "an integer was divided by zero");
        case SIGILL:
        case SIGTRAP:
            fail("signal", source, "an illegal instruction, such as __builtin_trap makes");
#ifdef SIGXFSZ
        case SIGXFSZ:
            fail("forbidden", source, "a file grew beyond its limit");
#endif
#ifdef __linux__
        case SIGSYS:
            fail("forbidden", source, "%s is not allowed", name_of_call(info->si_syscall));
#endif
        default:
            fail("signal", source, "signal %d", number);
    }
}

}  // namespace

void use_signal_stack() {
    void* memory =
        mmap(nullptr, signal_stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = signal_stack_size;
    sigaltstack(&stack, nullptr);
}

void handle_signals() {
    use_signal_stack();
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXFSZ}) {
        sigaction(number, &action, nullptr);
    }
    signal(SIGPIPE, SIG_IGN);
}

}  // namespace hone
