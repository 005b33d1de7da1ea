// Kernel launches: what k<<<grid, block, shared, stream>>>(args) becomes.
#ifndef HONE_LAUNCH_H
#define HONE_LAUNCH_H

namespace hone {

struct Config {
    dim3 grid, block;
    size_t shared_bytes;
};

HONE_INLINE Config config(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t = nullptr) {
    return {grid, block, shared_bytes};
}

// Launch is one launch as the emulator sees it.
struct Launch {
    const void* function;  // the kernel, or null when it is an instance of a template
    const char* name;
    int line;
    bool fibers;
    Config config;
    // run executes the kernel once for each of the given threads of a block.
    void (*run)(const void* call, const uint3* threads, unsigned count);
    const void* call;
};

}  // namespace hone

// hone_parameters returns the memory that a kernel's parameters lie in, or null when they do not fit.
HONE_EMULATOR void* hone_parameters(size_t bytes, const char* kernel, int line);
HONE_EMULATOR void hone_execute(const hone::Launch* launch);

namespace hone {

template <class Call>
void run_threads(const void* call, const uint3* threads, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        threadIdx = threads[i];
        // The coordinates must be in memory when an access faults.
        __asm__ volatile("" ::: "memory");
        (*static_cast<const Call*>(call))();
    }
}

struct Place {
    void* address;
};
}  // namespace hone

HONE_INLINE void* operator new(size_t, hone::Place place) noexcept {
    return place.address;
}

namespace hone {

template <class Call>
void execute(Launch launch, const Call& call) {
    void* memory = hone_parameters(sizeof(Call), launch.name, launch.line);
    if (memory == nullptr) return;
    Call* stored = new (Place{memory}) Call(call);
    launch.run = run_threads<Call>;
    launch.call = stored;
    hone_execute(&launch);
    stored->~Call();
}

// A launch of a kernel whose parameter types are known: arguments convert to them.
template <class Body, class... P>
struct TypedLaunch {
    Launch launch;
    Body body;
    void operator()(P... arguments) const {
        execute(launch, [body = body, arguments...] { body(arguments...); });
    }
    // Fewer arguments than parameters: the rest have defaults.
    template <class... A, class = typename only_if<(sizeof...(A) < sizeof...(P)), void>::type>
    void operator()(A... arguments) const {
        execute(launch, [body = body, arguments...] { body(arguments...); });
    }
};

template <class Body>
struct DeducedLaunch {
    Launch launch;
    Body body;
    template <class... A>
    void operator()(A... arguments) const {
        execute(launch, [body = body, arguments...] { body(arguments...); });
    }
};

template <class Body, class... P>
TypedLaunch<Body, P...> launch(void (*kernel)(P...), const char* name, int line, int fibers, Config config,
                               Body body) {
    return {{reinterpret_cast<const void*>(kernel), name, line, fibers != 0, config, nullptr, nullptr}, body};
}

template <class Body>
DeducedLaunch<Body> launch(const char* name, int line, int fibers, Config config, Body body) {
    return {{nullptr, name, line, fibers != 0, config, nullptr, nullptr}, body};
}

}  // namespace hone

#endif
