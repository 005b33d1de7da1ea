// What went wrong: faults, which end the process, and findings, which do not.
#ifndef HONE_FAULT_H
#define HONE_FAULT_H

#include <stdint.h>

#include "message.h"

namespace hone {

// Source is where in the user's text something happened: its line, or an
// address in the code that line_of resolves.
struct Source {
    int line = 0;
    uintptr_t address = 0;
    static Source at_line(int line) { return {line, 0}; }
    // at_call is the call that returns to the address.
    static Source at_call(const void* returns_to) { return {0, reinterpret_cast<uintptr_t>(returns_to) - 1}; }
};
int resolve(Source source);

// fail reports a fault with the running kernel, block and thread, and ends the
// process. The first fault wins; threads that fail later wait for the end.
[[noreturn]] void fail(const char* kind, Source source, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// find keeps a finding for the reply. Only the first of a kind at a pair of
// places is kept, and only the first sixteen. wanted tells whether it would be.
constexpr int max_findings = 16;
struct Finding {
    const char* kind;
    const char* severity;
    Source source, other;
};
bool wanted(const Finding& finding);
void find(const Finding& finding, const char* format, ...) __attribute__((format(printf, 2, 3)));
void write_findings(Text* reply);
void clear_findings();

}  // namespace hone

#endif
