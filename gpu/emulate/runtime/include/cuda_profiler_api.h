// There is no profiler on a CPU: its switches do nothing.
#ifndef HONE_CUDA_PROFILER_API_H
#define HONE_CUDA_PROFILER_API_H

#include "hone_emulate.h"

HONE_INLINE cudaError_t cudaProfilerStart() {
    return cudaSuccess;
}
HONE_INLINE cudaError_t cudaProfilerStop() {
    return cudaSuccess;
}

#endif
