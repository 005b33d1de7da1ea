#include "signals.h"

#include <initializer_list>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "buffers.h"
#include "contain.h"
#include "fault.h"
#include "graph.h"

namespace hone {
namespace {

constexpr size_t stack_size = 256 << 10;

[[noreturn]] void bad_access(uintptr_t address) {
    if (const char* name = buffer_at(address))
        fail("illegal_address", nullptr, "host code used buffer %s, which is in the device's memory", name);
    if (address < 4096) fail("illegal_address", nullptr, "host code used a null pointer");
    fail("illegal_address", nullptr, "host code accessed address 0x%llx, which is no memory of its own",
         static_cast<unsigned long long>(address));
}

void on_signal(int signal, siginfo_t* info, void*) {
    switch (signal) {
        case SIGSEGV:
        case SIGBUS:
            bad_access(reinterpret_cast<uintptr_t>(info->si_addr));
        case SIGSYS:
            fail("forbidden", nullptr, "host code made the system call %s, which is forbidden",
                 name_of_call(info->si_syscall));
        case SIGFPE:
            fail("signal", nullptr, "host code divided by zero, or its like");
        case SIGILL:
            fail("signal", nullptr, "host code met an illegal instruction");
    }
    leave_capture("solve called abort");
    fail("abort", nullptr, "host code called abort");
}

}  // namespace

void handle_signals() {
    stack_t stack = {};
    stack.ss_sp = malloc(stack_size);
    stack.ss_size = stack_size;
    sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (int signal : {SIGSEGV, SIGBUS, SIGSYS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace hone
