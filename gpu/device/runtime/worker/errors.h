// Errors of the driver while a candidate runs: those that it may still handle, as
// cudaGetLastError has it, and those that end the process.
#ifndef HONE_ERRORS_H
#define HONE_ERRORS_H

#include <string>

namespace hone {

// keep_error keeps an error of a call until the candidate asks for it, and returns
// its number. One that ends all use of the device is a fault at once.
int keep_error(int code, const char* call, const char* kernel);

// last_error is the last error that was kept, and forgets it where asked to.
int last_error(bool forget);

// check_device waits for the device, and ends the process where it met an error.
void check_device();

// watch_runtime tells how an object with a CUDA runtime of its own is asked for the
// last error that the candidate has not asked for, which it then forgets; null where
// it cannot be.
void watch_runtime(int (*take)());

// take_failure forgets the errors that the candidate did not ask for, and says what
// the first was; it says nothing where there was none.
std::string take_failure();

// fail_unhandled ends the process where the candidate never asked for an error.
void fail_unhandled();

}  // namespace hone

#endif
