typedef void (*Kernel)(float*, int);
__global__ void one(float* y, int n) { y[0] = n; }
__global__ void two(float* y, int n) {
    __shared__ float s;
    s = n;
    __syncthreads();
    y[0] = s;
}
template <typename T>
__global__ void three(T* y, int n) { y[0] = n; }

struct Plan {
    Kernel kernel;
    Kernel table[2];
    void run(float* y) { kernel<<<1, 32>>>(y, 1); }
};

void run(float* y, Plan* plan, bool big) {
    Kernel chosen = big ? one : two;
    chosen<<<1, 32>>>(y, 1);
    (big ? one : two)<<<1, 32>>>(y, 2);
    plan->kernel<<<1, 32>>>(y, 3);
    plan->table[big ? 1 : 0]<<<1, 32>>>(y, 4);
    auto instance = three<float>;
    instance<<<1, 32>>>(y, 5);
    (*chosen)<<<1, 32>>>(y, 6);
}
