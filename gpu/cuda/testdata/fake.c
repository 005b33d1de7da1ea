// A driver without a device, whose answers are chosen when it is compiled.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef VERSION
#define VERSION 13000
#endif
#ifndef INIT
#define INIT 0
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifndef RETAIN
#define RETAIN 0
#endif
#ifndef SYNCHRONIZE
#define SYNCHRONIZE 0
#endif
#ifndef NVML
#define NVML 0
#endif

int cuInit(unsigned flags) {
    return flags ? 1 : INIT;
}

int cuDriverGetVersion(int* version) {
    *version = VERSION;
    return 0;
}

int cuGetErrorName(int code, const char** name) {
    static char text[32];
    snprintf(text, sizeof text, "CUDA_ERROR_FAKE_%d", code);
    *name = text;
    return 0;
}

int cuGetErrorString(int code, const char** text) {
    *text = "words of the driver";
    return code == 999;  // like a code unknown to the driver
}

int cuDeviceGetCount(int* count) {
    *count = COUNT;
    return 0;
}

int cuDeviceGetName(char* name, int size, int device) {
    snprintf(name, size, "Fake %d", device);
    return 0;
}

int cuDeviceGetUuid_v2(void* uuid, int device) {
    memset(uuid, 7, 16);
    return device;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    *value = attribute * 1000 + device;
    return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
    *context = (void*)(intptr_t)(device + 1);
    return RETAIN;
}

int cuCtxSynchronize(void) {
    return SYNCHRONIZE;
}

// The last launch, which a copy from address 1 reads: its numbers, then its arguments.
static struct {
    uint64_t function, stream;
    unsigned shape[7];
    unsigned char arguments[256];
} launched;

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** parameters, void** extra) {
    unsigned shape[7] = {gx, gy, gz, bx, by, bz, shared};
    launched.function = (uintptr_t)function;
    launched.stream = (uintptr_t)stream;
    memcpy(launched.shape, shape, sizeof shape);
    if (parameters) return 1;
    if (!extra[0]) return 0;
    if (extra[0] != (void*)1 || extra[2] != (void*)2 || extra[4]) return 1;
    memcpy(launched.arguments, extra[1], *(size_t*)extra[3]);
    return 0;
}

int cuMemcpyDtoH_v2(void* target, uint64_t source, size_t size) {
    if (source == 1) memcpy(target, &launched, size);
    return 0;
}

int cuFuncGetParamInfo(void* function, size_t index, size_t* offset, size_t* size) {
    *offset = 8 * index;
    *size = 4;
    return index == 3;  // beyond the last, and no function in sight
}

int cuEventQuery(void* event) {
    return (int)(intptr_t)event;
}

int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
    *milliseconds = 1.5f;
    return 0;
}

int nvmlInit_v2(void) {
    return NVML;
}

const char* nvmlErrorString(int code) {
    return code == 4 ? "insufficient" : "other";
}

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
    snprintf(version, size, "580.1");
    return 0;
}

int nvmlDeviceGetClockInfo(void* device, int which, unsigned* megahertz) {
    *megahertz = which == 1 ? 1980 : 3201;
    return 0;
}

int nvmlDeviceGetTemperature(void* device, int which, unsigned* celsius) {
    return 3;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
    *milliwatts = 120500;
    return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
    *reasons = 0x44;
    return 0;
}

int nvmlDeviceGetUtilizationRates(void* device, void* rates) {
    memcpy(rates, (unsigned[2]){42, 7}, 8);
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, void* processes) {
    struct {
        unsigned pid;
        unsigned long long memory;
        unsigned instances[2];
    } found[2] = {{17, 1 << 20, {0}}, {18, ~0ULL, {0}}};
    memcpy(processes, found, sizeof found);
    *count = 2;
    return 0;
}
