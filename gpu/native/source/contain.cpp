#include "contain.h"

#include <errno.h>
#include <fcntl.h>
#include <initializer_list>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace hone {
namespace {

bool set_limit(int resource, rlim_t value) {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0) return false;
    if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max) value = limit.rlim_max;
    limit = {value, value};
    return setrlimit(resource, &limit) == 0;
}

void report(Text* hello, const char* layer, bool on) {
    hello->line("layer").field(layer);
    if (on) {
        hello->field("on");
    } else {
        hello->format("off: %s", strerror(errno));
    }
}

bool limit_resources(const Limits& limits) {
    bool all = set_limit(RLIMIT_CORE, 0);
    if (limits.memory > 0) all = set_limit(RLIMIT_DATA, limits.memory) && all;
    if (limits.file > 0) all = set_limit(RLIMIT_FSIZE, limits.file) && all;
    if (limits.processes > 0) all = set_limit(RLIMIT_NPROC, limits.processes) && all;
    return all;
}

}  // namespace

#ifndef __linux__

void contain(const Limits& limits, const Needs&, Text* hello) {
    report(hello, "rlimits", limit_resources(limits));
    for (const char* layer : {"no_new_privs", "landlock", "seccomp"}) {
        hello->line("layer").field(layer).field("off: not on this system");
    }
}
void allow_reading_only_beside(std::initializer_list<const char*>, const Needs&) {}
bool forbid_programs() {
    return false;
}
const char* name_of_call(int) {
    return "a system call";
}

#else
namespace {

// Landlock, by number: its header is newer than many systems that have the calls.
constexpr long sys_landlock_create_ruleset = 444, sys_landlock_add_rule = 445,
               sys_landlock_restrict_self = 446;

struct LandlockRuleset {
    uint64_t files, network, scope;
};
struct __attribute__((packed)) LandlockPath {
    uint64_t allowed;
    int32_t parent;
};

// Rights on files. Those from write_file on, but for read_dir, change something.
constexpr uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_dir = 1 << 3;
constexpr uint64_t change_old = write_file | 0x1ff0;  // remove and make entries of every type
constexpr uint64_t refer = 1 << 13, truncate_file = 1 << 14, ioctl_device = 1 << 15;
constexpr uint64_t network_tcp = 3, scope_all = 3;

long landlock_version() {
    return syscall(sys_landlock_create_ruleset, nullptr, 0, 1);
}

uint64_t changes(long version) {
    return change_old | (version >= 2 ? refer : 0) | (version >= 3 ? truncate_file : 0) |
           (version >= 5 ? ioctl_device : 0);
}

void allow(int ruleset, const char* path, uint64_t rights) {
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) return;
    LandlockPath rule = {rights, parent};
    syscall(sys_landlock_add_rule, ruleset, 1, &rule, 0);
    close(parent);
}

int make_ruleset(uint64_t files, long version, bool others) {
    LandlockRuleset rules = {files, others && version >= 4 ? network_tcp : 0,
                             others && version >= 6 ? scope_all : 0};
    size_t size = version >= 6 ? sizeof(rules) : version >= 4 ? 16 : 8;
    return int(syscall(sys_landlock_create_ruleset, &rules, size, 0));
}

// restrict_self takes along the threads that exist where the system can do that.
bool restrict_self(int ruleset, long version) {
    constexpr unsigned all_threads = 1 << 3;
    bool done = syscall(sys_landlock_restrict_self, ruleset, version >= 8 ? all_threads : 0) == 0;
    int reason = errno;
    close(ruleset);
    errno = reason;
    return done;
}

// restrict_changes leaves the working directory as the only place to write, beside
// what the program needs.
bool restrict_changes(const Needs& needs) {
    long version = landlock_version();
    if (version < 1) return false;
    int ruleset = make_ruleset(changes(version), version, true);
    if (ruleset < 0) return false;
    allow(ruleset, ".", changes(version));
    allow(ruleset, "/dev/null", write_file);
    for (const std::string& path : needs.write) allow(ruleset, path.c_str(), write_file);
    for (const std::string& node : needs.devices)
        allow(ruleset, node.c_str(), write_file | (version >= 5 ? ioctl_device : 0));
    return restrict_self(ruleset, version);
}

// allow_to_read lets a path be read, be it a folder or a single file.
void allow_to_read(int ruleset, const char* path) {
    allow(ruleset, path, execute | read_file | read_dir);
    allow(ruleset, path, execute | read_file);  // all that a rule on a single file may grant
}

// allow_folder_of leaves the folder of a file.
void allow_folder_of(int ruleset, const char* file) {
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s", file);
    char* slash = strrchr(folder, '/');
    if (slash == nullptr) return;
    *slash = 0;
    allow_to_read(ruleset, folder);
}

// The system calls that a candidate has no business making, by what they reach:
// other processes, the network, the system as a whole.
struct Call {
    int number;
    const char* name;
};
#define HONE_CALL(name) {SYS_##name, #name}
constexpr Call starts_program[] = {
#ifdef SYS_fork
    HONE_CALL(fork),
    HONE_CALL(vfork),
#endif
    HONE_CALL(execve),
    HONE_CALL(execveat),
};
constexpr Call forbidden[] = {
    HONE_CALL(ptrace),
    HONE_CALL(process_vm_readv),
    HONE_CALL(process_vm_writev),
    HONE_CALL(tkill),
    HONE_CALL(kcmp),
    HONE_CALL(socket),
    HONE_CALL(socketpair),
    HONE_CALL(connect),
    HONE_CALL(bind),
    HONE_CALL(listen),
    HONE_CALL(accept),
    HONE_CALL(accept4),
    HONE_CALL(mount),
    HONE_CALL(umount2),
    HONE_CALL(pivot_root),
    HONE_CALL(chroot),
    HONE_CALL(unshare),
    HONE_CALL(setns),
    HONE_CALL(bpf),
    HONE_CALL(perf_event_open),
    HONE_CALL(userfaultfd),
    HONE_CALL(keyctl),
    HONE_CALL(add_key),
    HONE_CALL(request_key),
    HONE_CALL(init_module),
    HONE_CALL(finit_module),
    HONE_CALL(delete_module),
    HONE_CALL(kexec_load),
    HONE_CALL(reboot),
    HONE_CALL(swapon),
    HONE_CALL(swapoff),
    HONE_CALL(sethostname),
    HONE_CALL(settimeofday),
    HONE_CALL(clock_settime),
    HONE_CALL(acct),
    HONE_CALL(open_by_handle_at),
    HONE_CALL(name_to_handle_at),
    HONE_CALL(setpgid),
    HONE_CALL(setsid),
    HONE_CALL(quotactl),
#ifdef SYS_pidfd_open
    HONE_CALL(pidfd_open),
    HONE_CALL(pidfd_send_signal),
#endif
#ifdef SYS_pidfd_getfd
    HONE_CALL(pidfd_getfd),
#endif
#ifdef SYS_io_uring_setup
    HONE_CALL(io_uring_setup),
    HONE_CALL(io_uring_enter),
    HONE_CALL(io_uring_register),
#endif
#ifdef SYS_move_mount
    HONE_CALL(move_mount),
    HONE_CALL(open_tree),
    HONE_CALL(fsopen),
    HONE_CALL(fsmount),
#endif
};
#undef HONE_CALL
constexpr int call_count =
    sizeof(forbidden) / sizeof(forbidden[0]) + sizeof(starts_program) / sizeof(starts_program[0]);

#ifdef __x86_64__
constexpr uint32_t architecture = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif
constexpr uint32_t new_thread = 0x00010000;  // CLONE_THREAD

// Filter is the program that the kernel runs on every system call.
class Filter {
  public:
    // A filter begins with what names a call for certain.
    Filter() {
        load(offsetof(seccomp_data, arch));
        add(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
        answer(trap);
        load_number();
#ifdef __x86_64__
        add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);  // the x32 names of the same calls
        answer(trap);
#endif
    }
    Filter& keep_to_itself() {
        for (const Call& call : forbidden) answer_if_equal(uint32_t(call.number), trap);
        only_this_process(SYS_kill);
        only_this_process(SYS_tgkill);
        return *this;
    }
    Filter& start_no_program() {
#ifdef SYS_clone3
        answer_if_equal(SYS_clone3, absent);  // its flags cannot be seen; the C library falls back to clone
#endif
        for (const Call& call : starts_program) answer_if_equal(uint32_t(call.number), trap);
        only_threads();
        return *this;
    }
    bool install() {
        answer(pass);
        sock_fprog program = {static_cast<unsigned short>(size_), code_};
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
    }

  private:
    static constexpr uint32_t trap = SECCOMP_RET_TRAP, pass = SECCOMP_RET_ALLOW;
    static constexpr uint32_t absent = SECCOMP_RET_ERRNO | ENOSYS;

    void add(uint16_t code, uint32_t k, uint8_t yes = 0, uint8_t no = 0) {
        code_[size_++] = {code, yes, no, k};
    }
    void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)); }
    void answer(uint32_t result) { add(BPF_RET | BPF_K, result); }
    void answer_if_equal(uint32_t value, uint32_t result) {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
        answer(result);
    }
    void load_number() { load(offsetof(seccomp_data, nr)); }

    // only_this_process traps the call unless its first argument is this process.
    void only_this_process(uint32_t number) {
        add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
        load(offsetof(seccomp_data, args[0]));
        answer_if_equal(uint32_t(getpid()), pass);
        answer(trap);
    }
    // only_threads traps a clone that would make a process.
    void only_threads() {
        add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
        load(offsetof(seccomp_data, args[0]));
        add(BPF_JMP | BPF_JSET | BPF_K, new_thread, 0, 1);
        answer(pass);
        answer(trap);
    }

    sock_filter code_[2 * call_count + 32];
    size_t size_ = 0;
};

}  // namespace

void contain(const Limits& limits, const Needs& needs, Text* hello) {
    report(hello, "rlimits", limit_resources(limits));
    report(hello, "no_new_privs", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    report(hello, "landlock", restrict_changes(needs));
    Filter filter;
    filter.keep_to_itself();
    if (!needs.programs) filter.start_no_program();
    report(hello, "seccomp", filter.install());
}

bool forbid_programs() {
    return Filter().start_no_program().install();
}

void allow_reading_only_beside(std::initializer_list<const char*> files, const Needs& needs) {
    long version = landlock_version();
    int ruleset = version < 1 ? -1 : make_ruleset(execute | read_file | read_dir, version, false);
    if (ruleset < 0) return;
    for (const char* path : {"/lib", "/lib64", "/usr", "/etc/ld.so.cache", "/proc/self",
                             "/sys/devices/system/cpu", "/dev/null", "/dev/zero", "/dev/urandom", "."}) {
        allow_to_read(ruleset, path);
    }
    for (const std::string& path : needs.read) allow_to_read(ruleset, path.c_str());
    for (const std::string& node : needs.devices) allow(ruleset, node.c_str(), read_file);
    for (const char* file : files) allow_folder_of(ruleset, file);
    restrict_self(ruleset, version);
}

const char* name_of_call(int number) {
    static const Call others[] = {{SYS_clone, "clone (a new process)"},
                                  {SYS_kill, "kill (of another process)"},
                                  {SYS_tgkill, "tgkill (of another process)"}};
    for (const Call& call : others) {
        if (call.number == number) return call.name;
    }
    for (const Call& call : starts_program) {
        if (call.number == number) return call.name;
    }
    for (const Call& call : forbidden) {
        if (call.number == number) return call.name;
    }
    return "this system call";
}
#endif

}  // namespace hone
