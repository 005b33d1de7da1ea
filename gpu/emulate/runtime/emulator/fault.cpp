#include "fault.h"

#include <atomic>
#include <mutex>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "block.h"
#include "lines.h"

namespace hone {
namespace {

struct Kept {
    Finding finding;
    char evidence[512];
};

std::mutex findings_lock;
Kept findings[max_findings];
int finding_count = 0;
std::atomic<bool> failing{false};

bool same_place(Source a, Source b) {
    return a.line == b.line && a.address == b.address;
}

bool known(const Finding& f) {
    for (int i = 0; i < finding_count; i++) {
        const Finding& g = findings[i].finding;
        if (g.kind == f.kind && same_place(g.source, f.source) && same_place(g.other, f.other)) return true;
    }
    return false;
}

void write_place(Text* text) {
    if (running.launch == nullptr) return;
    text->line("kernel").field(running.launch->name);
    text->line("block").field(blockIdx.x).field(blockIdx.y).field(blockIdx.z);
    text->line("thread").field(threadIdx.x).field(threadIdx.y).field(threadIdx.z);
}

}  // namespace

int resolve(Source source) {
    return source.line != 0 ? source.line : line_of(source.address);
}

void fail(const char* kind, Source source, const char* format, ...) {
    if (failing.exchange(true)) {
        for (;;) pause();
    }
    static Text text;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    text.line("kind").field(kind);
    text.line("message").field(message);
    if (int line = resolve(source); line > 0) text.line("line").field(line);
    write_place(&text);
    send(Reply::fault, text);
    _exit(1);
}

bool wanted(const Finding& finding) {
    std::lock_guard<std::mutex> hold(findings_lock);
    return finding_count < max_findings && !known(finding);
}

void find(const Finding& finding, const char* format, ...) {
    std::lock_guard<std::mutex> hold(findings_lock);
    if (finding_count == max_findings || known(finding)) return;
    Kept& kept = findings[finding_count++];
    kept.finding = finding;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(kept.evidence, sizeof(kept.evidence), format, arguments);
    va_end(arguments);
}

void write_findings(Text* reply) {
    for (int i = 0; i < finding_count; i++) {
        const Finding& f = findings[i].finding;
        reply->line("finding")
            .field(f.kind)
            .field(f.severity)
            .field(resolve(f.source))
            .field(findings[i].evidence);
    }
}

void clear_findings() {
    finding_count = 0;
}

}  // namespace hone
