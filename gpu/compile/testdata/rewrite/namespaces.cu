namespace model {
namespace detail {
template <int N>
__global__ void k(float* y) { y[threadIdx.x] = N; }
}  // namespace detail
__global__ void plain(float* y, int n) { y[threadIdx.x] = n; }
void inside(float* y) {
    detail::k<3><<<1, 32>>>(y);
    plain<<<1, 32>>>(y, 1);
}
}  // namespace model

void run(float* y) {
    model::detail::k<4><<<1, 32>>>(y);
    ::model::plain<<<1, 32>>>(y, 2);
    using namespace model;
    plain<<<1, 32>>>(y, 3);
}
