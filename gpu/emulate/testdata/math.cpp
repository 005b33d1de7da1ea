#include "expect.h"

__device__ bool near(double a, double b) { return fabs(a - b) <= 1e-6 * (1 + fabs(b)); }

__global__ void functions(int* failed) {
    float x = 0.7f, y = 1.3f;
    double d = 0.7;
    EXPECT(near(sqrtf(x), 0.83666) && near(rsqrtf(x), 1.1952286) && near(rsqrt(d), 1.19522861));
    EXPECT(near(expf(x), 2.0137527) && near(__expf(x), 2.0137527) && near(exp2f(x), 1.62450479) && near(exp10f(2), 100));
    EXPECT(near(logf(x), -0.35667494) && near(__logf(x), -0.35667494) && near(log2f(8), 3) && near(__log2f(8), 3));
    EXPECT(near(tanhf(x), 0.60436778) && near(erff(x), 0.67780119) && near(erfcf(x), 0.32219881));
    EXPECT(near(powf(x, y), 0.62896641) && near(__powf(x, y), 0.62896641) && near(pow(x, 2), 0.49));
    EXPECT(near(__sinf(x), 0.6442177) && near(__cosf(x), 0.7648422) && near(sinpif(0.5f), 1) && near(cospif(1.0f), -1));
    EXPECT(fmaxf(x, y) == y && fminf(x, NAN) == x && fmax(x, y) == y && near(fmaf(x, y, 1), 1.91));
    EXPECT(near(__fdividef(x, y), 0.53846157) && near(__frcp_rn(4.0f), 0.25) && __fsqrt_rn(9.0f) == 3);
    EXPECT(__fmaf_rn(2, 3, 4) == 10 && __saturatef(1.5f) == 1 && __saturatef(-1) == 0 && __saturatef(NAN) == 0);
    EXPECT(near(normcdff(0), 0.5) && near(cbrtf(27), 3) && near(log1pf(x), 0.53062826) && near(hypotf(3, 4), 5));
    float s, c;
    __sincosf(x, &s, &c);
    EXPECT(near(s * s + c * c, 1));
    EXPECT(hone::same<decltype(sqrt(x)), float> && hone::same<decltype(sqrt(d)), double>);
    EXPECT(hone::same<decltype(max(x, 1.0f)), float> && hone::same<decltype(max(x, d)), double>);
    EXPECT(hone::same<decltype(max(1, 2u)), unsigned> && hone::same<decltype(min(1, 2ll)), long long>);
    EXPECT(max(-1, 2) == 2 && min(3u, 4u) == 3u && max(2.0f, NAN) == 2.0f && abs(-2.5f) == 2.5f && abs(-3) == 3);
    EXPECT(isnan(NAN) && !isnan(x) && isinf(-INFINITY) && isfinite(x) && signbit(-0.0f));
    EXPECT(CUDART_INF_F == INFINITY && near(CUDART_PI_F, 3.14159265));
}

__global__ void integers(int* failed) {
    EXPECT(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63);
    EXPECT(__ffs(8) == 4 && __ffs(0) == 0 && __ffsll(1ll << 40) == 41);
    EXPECT(__brev(1u) == 0x80000000u && __brev(0x12345678u) == 0x1e6a2c48u && __brevll(1) == 1ull << 63);
    EXPECT(__umulhi(0x80000000u, 4u) == 2u && __mulhi(-1, 1) == -1 && __umul64hi(1ull << 63, 4) == 2);
    EXPECT(__mul24(-3, 5) == -15 && __mul24(0x1000001, 2) == 2 && __umul24(0xff000003u, 5u) == 15u);
    EXPECT(__byte_perm(0x03020100, 0x07060504, 0x7531) == 0x07050301u && __byte_perm(0x80, 0, 0x8888) == 0xffffffffu);
    EXPECT(__dp4a(0x01020304, 0x01010101, 5) == 15 && __dp4a(int(0xffffffff), 0x01010101, 0) == -4);
    EXPECT(__funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(2u, 1u, 1) == 0x80000001u);
    EXPECT(__hadd(3, 6) == 4 && __rhadd(3, 6) == 5 && __sad(-2, 3, 1u) == 6u && __usad(2u, 5u, 1u) == 4u);
    EXPECT(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f && __uint_as_float(0) == 0);
    EXPECT(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2 && __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
    EXPECT(__float2int_rn(1e20f) == 0x7fffffff && __float2int_rn(NAN) == 0 && __float2uint_rn(-5) == 0u);
    EXPECT(__double_as_longlong(1.0) == 0x3ff0000000000000ll && __double2hiint(1.0) == 0x3ff00000);
}

__global__ void halves(int* failed, __half* data, __nv_bfloat16* wide) {
    __half a = __float2half(1.5f), b = 2;
    EXPECT(float(a + b) == 3.5f && float(a - b) == -0.5f && float(a * b) == 3.0f && float(a / b) == 0.75f);
    EXPECT(a < b && b > a && a == a && a != b && float(-a) == -1.5f);
    EXPECT(__half2float(__hadd(a, b)) == 3.5f && __half2float(__hfma(a, b, a)) == 4.5f && float(__hmul(a, 2.0f)) == 3.0f);
    EXPECT(float(__hmax(a, b)) == 2 && float(__hmin(a, b)) == 1.5f && __hgt(b, a) && __hle(a, b) && !__hisnan(a));
    EXPECT(float(hsqrt(__float2half(4))) == 2 && float(hexp(__half(0.0f))) == 1 && float(hrcp(b)) == 0.5f);
    EXPECT(__hisinf(__float2half(1e6f)) == 1 && __hisinf(__float2half(-1e6f)) == -1 && __hisnan(__float2half(NAN)));
    a += b;
    EXPECT(float(a) == 3.5f);
    half2 p = __floats2half2_rn(1, 2), q = __half2half2(b);
    half2 r = __hfma2(p, q, p);
    EXPECT(__low2float(r) == 3 && __high2float(r) == 6 && __half22float2(p * q).y == 4);
    EXPECT(float(__low2half(__lowhigh2highlow(p))) == 2 && __hbeq2(p, p) && !__hbeq2(p, q));
    EXPECT(__half_as_ushort(__float2half(1)) == 0x3c00 && float(__ushort_as_half(0x4000)) == 2);
    EXPECT(__half_as_ushort(__float2half_rz(1.9999f)) == 0x3fff && __half_as_ushort(__float2half_ru(1.0001f)) == 0x3c01);
    EXPECT(__half_as_ushort(__float2half_rd(-1.0001f)) == 0xbc01 && __half2int_rz(__half(-2.7)) == -2);
    data[0] = __hadd(data[1], data[2]);
    __nv_bfloat16 c = __float2bfloat16(1.5f);
    __nv_bfloat162 d = __floats2bfloat162_rn(2, 3);
    EXPECT(float(c * c) == 2.25f && __bfloat162float(c) == 1.5f && __high2float(__hadd2(d, d)) == 6);
    EXPECT(float(__low2bfloat16(d)) == 2 && __bfloat1622float2(d).y == 3 && float(__hfma(c, c, c)) == 3.75f);
    wide[0] = c;
    EXPECT(float(__nv_bfloat16(__half(0.5f))) == 0.5f);
}

extern "C" void hone_entry(void* const* buffers, const int64_t*) {
    int* failed = (int*)buffers[0];
    RUN(functions, 0, 1, 1, failed);
    RUN(integers, 0, 1, 1, failed);
    RUN(halves, 0, 1, 1, failed, (__half*)buffers[1], (__nv_bfloat16*)buffers[1] + 8);
}
