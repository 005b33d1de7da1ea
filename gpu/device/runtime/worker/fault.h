// Faults: what ends the process, and is told to the judge.
#ifndef HONE_FAULT_H
#define HONE_FAULT_H

namespace hone {

// fail reports a fault and ends the process. The kernel's name is null where it
// is not known. The first fault wins; threads that fail later wait for the end.
[[noreturn]] void fail(const char* kind, const char* kernel, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// kind_of is the kind of fault that an error of the driver is.
const char* kind_of(int code);

}  // namespace hone

#endif
