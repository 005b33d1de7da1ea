// What a Python process takes from itself before it reads an answer, and how it
// tells the judge of signals. Python loads it through ctypes, once torch is there.
#include <initializer_list>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "contain.h"
#include "message.h"

namespace hone {
namespace {

constexpr size_t signal_stack_size = 256 << 10;
constexpr size_t most_buffers = 2048;

// Area is the memory of one buffer of the judge, as it is mapped here.
struct Area {
    char name[64];
    uintptr_t low, high;
    bool writable;
};
Area areas[most_buffers];
size_t area_count = 0;

[[noreturn]] void fail(const char* kind, const char* format, ...) __attribute__((format(printf, 2, 3)));
void fail(const char* kind, const char* format, ...) {
    static Text text;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    text.line("kind").field(kind);
    text.line("message").field(message);
    send(Reply::fault, text);
    _exit(1);
}

[[noreturn]] void bad_access(uintptr_t address) {
    if (address < 4096) fail("illegal_address", "host code used a null pointer");
    for (size_t i = 0; i < area_count; i++) {
        const Area& a = areas[i];
        if (address < a.low || address >= a.high) continue;
        if (!a.writable) fail("illegal_address", "the answer wrote to %s, which can only be read", a.name);
        fail("illegal_address", "the answer used memory of %s that is not there", a.name);
    }
    fail("illegal_address", "host code accessed address 0x%llx, which is no memory of its own",
         static_cast<unsigned long long>(address));
}

void on_signal(int number, siginfo_t* info, void*) {
    switch (number) {
        case SIGSEGV:
        case SIGBUS:
            bad_access(reinterpret_cast<uintptr_t>(info->si_addr));
        case SIGABRT:
            fail("abort", "the answer's process called abort");
        case SIGFPE:
            fail("signal", "host code divided an integer by zero");
        case SIGXFSZ:
            fail("forbidden", "a file grew beyond its limit");
#ifdef SIGSYS
        case SIGSYS:
#ifdef __linux__
            fail("forbidden", "the answer made the system call %s, which is forbidden",
                 name_of_call(info->si_syscall));
#endif
#endif
    }
    fail("signal", "host code met an illegal instruction");
}

// Wants are what Python asks for: lines of a name and a value with a tab between.
struct Wants {
    Limits limits;
    Needs needs;
};

Wants parse(const char* text) {
    Wants wants;
    while (*text != 0) {
        const char* end = strchr(text, '\n');
        if (end == nullptr) end = text + strlen(text);
        const char* tab = static_cast<const char*>(memchr(text, '\t', size_t(end - text)));
        if (tab != nullptr) {
            std::string name(text, tab), value(tab + 1, end);
            if (name == "memory") wants.limits.memory = strtoull(value.c_str(), nullptr, 10);
            if (name == "file") wants.limits.file = strtoull(value.c_str(), nullptr, 10);
            if (name == "read") wants.needs.read.push_back(value);
            if (name == "write") wants.needs.write.push_back(value);
            if (name == "device") wants.needs.devices.push_back(value);
        }
        text = *end == 0 ? end : end + 1;
    }
    return wants;
}

}  // namespace
}  // namespace hone

// hone_contain applies every layer but what hone_seal does, and returns the lines of
// the greeting that tell of them. Programs may still be started.
extern "C" const char* hone_contain(const char* text) {
    static hone::Text hello;
    static std::string lines;
    hone::Wants wants = hone::parse(text);
    wants.needs.programs = true;
    hello = hone::Text();
    hone::contain(wants.limits, wants.needs, &hello);
    lines.assign(hello.data(), hello.size());
    return lines.c_str();
}

// hone_seal leaves reading to system libraries, the working directory and what the
// text names, and starting programs to nobody unless they are wanted.
extern "C" void hone_seal(const char* text, int programs) {
    hone::allow_reading_only_beside({}, hone::parse(text).needs);
    if (programs == 0) hone::forbid_programs();
}

// hone_handle_signals makes faults of signals of this process.
extern "C" void hone_handle_signals() {
    void* memory =
        mmap(nullptr, hone::signal_stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        stack_t stack = {};
        stack.ss_sp = memory;
        stack.ss_size = hone::signal_stack_size;
        sigaltstack(&stack, nullptr);
    }
    struct sigaction action = {};
    action.sa_sigaction = hone::on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXFSZ})
        sigaction(number, &action, nullptr);
}

// hone_forget_buffers and hone_name_buffer say what lies where, for messages alone.
extern "C" void hone_forget_buffers() {
    hone::area_count = 0;
}
extern "C" void hone_name_buffer(const char* name, size_t address, size_t bytes, int writable) {
    if (hone::area_count == hone::most_buffers) return;
    hone::Area& a = hone::areas[hone::area_count++];
    snprintf(a.name, sizeof(a.name), "%s", name);
    a.low = address;
    a.high = address + bytes;
    a.writable = writable != 0;
}
