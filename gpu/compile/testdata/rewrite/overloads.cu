__global__ void k(float* y, int n) { y[0] = n; }
__global__ void k(double* y, int n) { y[0] = n; }
template <typename T>
__global__ void s(T* y) { y[0] = 1; }
template <>
__global__ void s<double>(double* y) { y[0] = 2; }
void run(float* y, double* z) {
    k<<<1, 1>>>(y, 1);
    k<<<1, 1>>>(z, 2);
    s<double><<<1, 1>>>(z);
    s<<<1, 1>>>(y);
}
