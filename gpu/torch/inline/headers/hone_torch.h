// What an answer's C++ is compiled against: torch, CUDA, and what torch's CUDA headers
// have between the two. With HONE_ON_DEVICE CUDA is the table of hone_launch.h, otherwise
// the emulation, where a CPU stands in for the GPU.
//
// HONE_TORCH tells how much of torch: 0 is tensors and the common operators, for
// which one file each is included, 1 all operators, 2 the whole C++ API.
#ifndef HONE_TORCH_H
#define HONE_TORCH_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if HONE_TORCH == 0
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/AccumulateType.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
// What torch/types.h adds to at.
namespace torch {
using namespace at;
using Dtype = at::ScalarType;
constexpr auto kUInt8 = at::kByte;
constexpr auto kInt8 = at::kChar;
constexpr auto kInt16 = at::kShort;
constexpr auto kInt32 = at::kInt;
constexpr auto kInt64 = at::kLong;
constexpr auto kFloat16 = at::kHalf;
constexpr auto kFloat32 = at::kFloat;
constexpr auto kFloat64 = at::kDouble;
}  // namespace torch
#elif HONE_TORCH == 1
#include <torch/types.h>
#include <ATen/AccumulateType.h>
#include <ATen/OpMathType.h>
#else
#include <torch/all.h>
#include <ATen/AccumulateType.h>
#include <ATen/OpMathType.h>
#endif

#if __has_include(<ATen/ceil_div.h>)
#include <ATen/ceil_div.h>
#endif

#ifdef HONE_ON_DEVICE
#include <c10/core/impl/VirtualGuardImpl.h>
#define HONE_WITH_STD
#include "hone_launch.h"
#else
#include "hone_emulate.h"
#endif

namespace at {
// torch declares it for CUDA's compilers alone.
template <typename T>
struct RestrictPtrTraits {
    typedef T* __restrict__ PtrType;
};
}  // namespace at
namespace torch {
using at::RestrictPtrTraits;
}

namespace c10 {
namespace cuda {

#ifdef HONE_ON_DEVICE
constexpr c10::DeviceType device_type = c10::DeviceType::CUDA;

// The driver's handle of a stream that is not the default one: newer releases of
// torch tell it, older ones only by way of CUDA's own headers.
template <class S>
auto handle_of(const S& stream, int) -> decltype(static_cast<cudaStream_t>(stream.native_handle())) {
    return static_cast<cudaStream_t>(stream.native_handle());
}
template <class S>
cudaStream_t handle_of(const S&, long) {
    TORCH_CHECK(false,
                "this release of torch cannot tell the handle of a stream that is not the default one");
}

inline cudaStream_t current_handle() {
    c10::impl::VirtualGuardImpl device(device_type);
    c10::Stream stream = device.getStream(device.getDevice());
    return stream.id() == 0 ? nullptr : handle_of(stream, 0);
}
#else
constexpr c10::DeviceType device_type = c10::DeviceType::CPU;

// There is one stream: everything has happened when a call returns.
inline cudaStream_t current_handle() {
    return nullptr;
}
#endif

class CUDAStream {
  public:
    explicit CUDAStream(cudaStream_t handle = nullptr) : handle_(handle) {}
    operator cudaStream_t() const { return handle_; }
    cudaStream_t stream() const { return handle_; }
    void synchronize() const { cudaStreamSynchronize(handle_); }
    c10::DeviceIndex device_index() const { return 0; }
    c10::Device device() const { return c10::Device(device_type, 0); }

  private:
    cudaStream_t handle_;
};

inline CUDAStream getCurrentCUDAStream(c10::DeviceIndex = -1) {
    return CUDAStream(current_handle());
}
inline CUDAStream getDefaultCUDAStream(c10::DeviceIndex = -1) {
    return CUDAStream();
}
inline void device_synchronize() {
    cudaDeviceSynchronize();
}
inline c10::DeviceIndex current_device() {
    return 0;
}
inline c10::DeviceIndex device_count() {
    return 1;
}

struct CUDAGuard {
    explicit CUDAGuard(c10::DeviceIndex) {}
    explicit CUDAGuard(c10::Device) {}
};
struct OptionalCUDAGuard {
    OptionalCUDAGuard() = default;
    template <class D>
    explicit OptionalCUDAGuard(D) {}
};
struct CUDAStreamGuard {
    explicit CUDAStreamGuard(CUDAStream) {}
};

inline void check(cudaError_t error, const char* file, int line) {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // this is the answer to it
    TORCH_CHECK(false, "CUDA error: ", cudaGetErrorString(error), " (", file, " line ", line, ")");
}

}  // namespace cuda
}  // namespace c10

namespace at {
namespace cuda {

using namespace c10::cuda;

inline cudaDeviceProp* getCurrentDeviceProperties() {
    static cudaDeviceProp properties = [] {
        cudaDeviceProp p;
        cudaGetDeviceProperties(&p, 0);
        return p;
    }();
    return &properties;
}
inline cudaDeviceProp* getDeviceProperties(int64_t) {
    return getCurrentDeviceProperties();
}
inline int warp_size() {
    return 32;
}
inline bool is_available() {
    return true;
}
template <class T>
inline T ATenCeilDiv(T a, T b) {
    return (a + b - 1) / b;
}

}  // namespace cuda
}  // namespace at

#define C10_CUDA_CHECK(call) ::c10::cuda::check((call), __FILE__, __LINE__)
#define C10_CUDA_CHECK_WARN(call) (void)(call)
#define AT_CUDA_CHECK(call) C10_CUDA_CHECK(call)
#define TORCH_CUDA_CHECK(call) C10_CUDA_CHECK(call)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_KERNEL_LAUNCH_CHECK()
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                          \
    int64_t _i_n_d_e_x = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; \
    for (index_type i = index_type(_i_n_d_e_x); _i_n_d_e_x < (n);        \
         _i_n_d_e_x += int64_t(blockDim.x) * gridDim.x, i = index_type(_i_n_d_e_x))
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

// Tensors of the CPU answer for those of the GPU. These words must follow all of
// torch's headers.
#ifndef HONE_ON_DEVICE
#define is_cuda is_cpu
#define kCUDA kCPU
#endif

#endif
