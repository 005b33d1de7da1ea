// Conversions of every half and bfloat16, and arithmetic on many pairs. Buffers
// are the bits in and the bits out.
__global__ void widen(const unsigned short* bits, float* as_half, float* as_bfloat16, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    as_half[i] = __half2float(__ushort_as_half(bits[i]));
    as_bfloat16[i] = __bfloat162float(__ushort_as_bfloat16(bits[i]));
}
__global__ void narrow(const float* x, unsigned short* as_half, unsigned short* as_bfloat16, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    as_half[i] = __half_as_ushort(__float2half(x[i]));
    as_bfloat16[i] = __bfloat16_as_ushort(__float2bfloat16(x[i]));
}
__global__ void narrow_double(const double* x, unsigned short* as_half, unsigned short* as_bfloat16, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    as_half[i] = __half_as_ushort(__double2half(x[i]));
    as_bfloat16[i] = __bfloat16_as_ushort(__double2bfloat16(x[i]));
}
extern "C" void hone_entry(void* const* b, const int64_t* dims) {
    int n = dims[1], blocks = (n + 255) / 256;
    switch (dims[0]) {
        case 1: ::hone::launch(widen, "widen", 0, 0, ::hone::config(blocks, 256), [=](auto... a) { widen(a...); })((unsigned short*)b[0], (float*)b[1], (float*)b[2], n); break;
        case 2: ::hone::launch(narrow, "narrow", 0, 0, ::hone::config(blocks, 256), [=](auto... a) { narrow(a...); })((float*)b[0], (unsigned short*)b[1], (unsigned short*)b[2], n); break;
        case 3: ::hone::launch(narrow_double, "narrow_double", 0, 0, ::hone::config(blocks, 256), [=](auto... a) { narrow_double(a...); })((double*)b[0], (unsigned short*)b[1], (unsigned short*)b[2], n); break;
    }
}
