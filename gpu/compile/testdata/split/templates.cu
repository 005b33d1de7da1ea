template <typename T, int N> struct Tile { T v[N]; };

template <typename T, int N = 4>
__global__ void copy(const Tile<T, N>* __restrict__ x, T* unused, Tile<T, N>* y) { y[threadIdx.x] = x[threadIdx.x]; }

template <typename... Ts>
__global__ void many(float* y, Ts... values) { y[0] = (float(values) + ...); }

template <>
__global__ void copy<int, 2>(const Tile<int, 2>* x, int* unused, Tile<int, 2>* y) { y[0] = x[0]; }

template __global__ void copy<double, 8>(const Tile<double, 8>*, double*, Tile<double, 8>*);
template void launch<3>(float*);

template <int N>
void launch(float* y)
{
    if (N > 2) launch<N - 1>(y);
    many<<<1, N>>>(y, 1, 2.0f, 'c');
}
