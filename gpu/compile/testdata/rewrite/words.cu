// __shared__ float in_comment[4]; k<<<1, 1>>>(); asm("");
/* __syncthreads(); nvcuda::wmma; __global__ void hidden() {} */
#if 0
don't read this: k<<<1, 1>>>(y); __shared__ int x; asm("bad");
#else
#define USED 1
#endif
const char* help = "k<<<1, 1>>>(y); __shared__ int s; asm volatile";
const char* raw = R"cuda(
__global__ void text() { __syncthreads(); } k<<<1, 1>>>(); )" not yet
)cuda";
const char quote = '"', other = '\'';
constexpr int million = 1'000'000, hex = 0xFF'FF;
__global__ void k(int* y) { y[0] = million >> 3 >> 1, y[1] = hex << 2; }
template <int A, int B>
struct Less {
    static constexpr bool value = (A < B), more = (A > B);
};
bool less = 1 < 2 && 3 > 2;
void run(int* y) { k<<<1, 1>>>(y); }
