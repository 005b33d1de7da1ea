#include "/etc/passwd"
#include "../../secret.h"
%:include </etc/hostname>
#define WHERE "/etc/passwd"
#include WHERE
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {}
