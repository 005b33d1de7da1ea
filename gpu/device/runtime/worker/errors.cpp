#include "errors.h"

#include <mutex>
#include <stdio.h>

#include "driver.h"
#include "fault.h"
#include "kernels.h"

namespace hone {
namespace {

// Failure is the first call that failed since the candidate last asked.
struct Failure {
    int first = 0, last = 0;
    char call[1024];
    char kernel[512];
};

std::mutex lock;
Failure failure;
int (*take_runtime)() = nullptr;

// ends_process tells the errors after which only a new process can use the device.
bool ends_process(int code) {
    return code == 214 || code == 220 || code == 226 || code == 700 || code == 702 || code == 709 ||
           code == 710 || (code >= 714 && code <= 719) || code == 721;
}

[[noreturn]] void fail_device(int code) {
    fflush(stdout);
    fail(kind_of(code), suspect_kernel(), "%s (%s)", text_of(code), name_of(code));
}

void ask_runtime() {
    if (take_runtime != nullptr) keep_error(take_runtime(), "a call of the CUDA runtime", nullptr);
}

std::string words() {
    return std::string(failure.call) + " failed: " + text_of(failure.first) + " (" + name_of(failure.first) +
           ")";
}

}  // namespace

int keep_error(int code, const char* call, const char* kernel) {
    if (code == 0 || code == not_ready) return code;
    if (ends_process(code)) fail_device(code);
    std::lock_guard<std::mutex> hold(lock);
    if (failure.last == 0) {
        failure.first = code;
        snprintf(failure.call, sizeof(failure.call), "%s", call);
        snprintf(failure.kernel, sizeof(failure.kernel), "%s", kernel == nullptr ? "" : kernel);
    }
    failure.last = code;
    return code;
}

int last_error(bool forget) {
    std::lock_guard<std::mutex> hold(lock);
    int code = failure.last;
    if (forget) failure.last = 0;
    return code;
}

void check_device() {
    int code = driver().cuCtxSynchronize();
    if (code != 0) fail_device(code);
    clear_suspects();
}

void watch_runtime(int (*take)()) {
    take_runtime = take;
}

std::string take_failure() {
    ask_runtime();
    if (last_error(true) == 0) return "";
    return words();
}

void fail_unhandled() {
    ask_runtime();
    if (last_error(false) == 0) return;
    fail(kind_of(failure.first), failure.kernel[0] == 0 ? nullptr : failure.kernel, "%s", words().c_str());
}

}  // namespace hone
