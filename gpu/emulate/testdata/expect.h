// Units that check themselves: the first expectation that fails puts its line in
// the first output, which the test reads.
#define EXPECT(...)                                          \
    do {                                                           \
        if (!(__VA_ARGS__)) atomicCAS(failed, 0, __builtin_LINE());  \
    } while (0)
#define RUN(kernel, fibers, grid, block, ...)                                                            \
    ::hone::launch(kernel, #kernel, __LINE__, fibers, ::hone::config(grid, block),                       \
                   [=](auto... a) { kernel(a...); })(__VA_ARGS__)
