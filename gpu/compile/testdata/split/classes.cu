#include <string>

struct Plan {
    int rows, cols;
    Plan(int r, int c) : rows{r}, cols(c) { check(); }
    Plan() = default;
    void check() const { if (rows < 0) abort(); }
    std::string name() const { return "plan"; }
    __host__ __device__ int size() const { return rows * cols; }
    __device__ int at(int i) const { return i % cols + threadIdx.x; }
    constexpr static int width() { return 32; }
    void launch(float* y, cudaStream_t stream) const;
private:
    static int made;
};

template <typename T>
class Adder {
public:
    __device__ explicit Adder(T bias) : bias_(bias) {}
    __device__ T operator()(T v) const { return v + bias_; }
    T bias_;
};

enum class Mode { fast, exact };
struct { int unused; } nameless;

__global__ void fill(Plan plan, float* y) { y[plan.at(threadIdx.x)] = Adder<float>(1.0f)(plan.size()); }

void Plan::launch(float* y, cudaStream_t stream) const { fill<<<1, width(), 0, stream>>>(*this, y); }
int Plan::made = 0;
