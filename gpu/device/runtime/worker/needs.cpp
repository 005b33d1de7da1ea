#include "needs.h"

#include <glob.h>
#include <stdio.h>

#include "driver.h"

namespace hone {
namespace {

// device_nodes are those through which the driver reaches the device.
std::vector<std::string> device_nodes() {
    std::vector<std::string> nodes;
    for (const char* pattern : {"/dev/nvidia*", "/dev/dxg"}) {
        glob_t found = {};
        if (glob(pattern, 0, nullptr, &found) == 0)
            nodes.insert(nodes.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
        globfree(&found);
    }
    return nodes;
}

}  // namespace

Needs needs_of_driver() {
    Needs needs;
    needs.read = {"/proc/devices", "/proc/meminfo", "/proc/driver", "/sys", folder_of_driver()};
    needs.write = {"/proc/self/task"};
    needs.devices = device_nodes();
    return needs;
}

size_t private_memory() {
    FILE* file = fopen("/proc/self/status", "r");
    if (file == nullptr) return 0;
    char line[256];
    size_t kilobytes = 0;
    while (fgets(line, sizeof(line), file) != nullptr && sscanf(line, "VmData: %zu", &kilobytes) != 1) {
    }
    fclose(file);
    return kilobytes << 10;
}

}  // namespace hone
