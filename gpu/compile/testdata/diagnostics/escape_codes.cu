#error [31mred]0;title �� tail
#pragma message("[2J")
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { int été = 1; été += nope; }
