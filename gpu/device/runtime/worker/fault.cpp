#include "fault.h"

#include <atomic>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"

namespace hone {
namespace {

std::atomic<bool> failing{false};

}  // namespace

void fail(const char* kind, const char* kernel, const char* format, ...) {
    if (failing.exchange(true)) {
        for (;;) pause();
    }
    static Text text;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    text.line("kind").field(kind);
    text.line("message").field(message);
    if (kernel != nullptr) text.line("kernel").field(kernel);
    send(Reply::fault, text);
    _exit(1);
}

const char* kind_of(int code) {
    switch (code) {
        case 2:
            return "out_of_memory";
        case 700:  // illegal address
        case 717:  // an address of another space
            return "illegal_address";
        case 710:
            return "assert";
        case 716:
            return "misaligned";
        case 702:  // the device's own limit of time
        case 714:  // stack of the hardware
        case 715:  // illegal instruction, a trap on some devices
        case 718:  // program counter
        case 719:  // a trap, or anything else
        case 721:
            return "launch_failure";
    }
    return "cuda_error";
}

}  // namespace hone
