#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace hone {
namespace {

constexpr int judge = 3;
constexpr size_t header_size = 8;

bool read_all(void* to, size_t bytes) {
    for (char* p = static_cast<char*>(to); bytes > 0;) {
        ssize_t n = read(judge, p, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        bytes -= size_t(n);
    }
    return true;
}

void keep_descriptors(msghdr* header, Incoming* message) {
    for (cmsghdr* c = CMSG_FIRSTHDR(header); c != nullptr; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        int count = int((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < count && message->descriptor_count < max_descriptors; i++) {
            memcpy(&message->descriptors[message->descriptor_count++], CMSG_DATA(c) + i * sizeof(int),
                   sizeof(int));
        }
    }
}

// read_header reads the header, with which descriptors may travel.
bool read_header(unsigned char* to, Incoming* message) {
    for (size_t done = 0; done < header_size;) {
        alignas(cmsghdr) char control[CMSG_SPACE(max_descriptors * sizeof(int))];
        iovec part = {to + done, header_size - done};
        msghdr header = {};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof(control);
        ssize_t n = recvmsg(judge, &header, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        keep_descriptors(&header, message);
        done += size_t(n);
    }
    return true;
}

uint32_t little_endian(const unsigned char* p) {
    return uint32_t(p[0]) | uint32_t(p[1]) << 8 | uint32_t(p[2]) << 16 | uint32_t(p[3]) << 24;
}

}  // namespace

void Text::add(const char* text, bool escape) {
    for (; *text != 0 && size_ < max_body - 1; text++) {
        unsigned char c = static_cast<unsigned char>(*text);
        data_[size_++] = escape && (c < 0x20 || c == 0x7f) ? ' ' : *text;
    }
}

// Every line is closed at once and opened again by the next field.
Text& Text::line(const char* name) {
    add(name, true);
    data_[size_++] = '\n';
    return *this;
}

Text& Text::field(const char* text) {
    data_[size_ - 1] = '\t';
    add(text, true);
    if (size_ == max_body) size_--;
    data_[size_++] = '\n';
    return *this;
}

Text& Text::field(long long number) {
    return format("%lld", number);
}

Text& Text::format(const char* format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return field(text);
}

bool receive(Incoming* message) {
    unsigned char header[header_size];
    message->descriptor_count = 0;
    if (!read_header(header, message)) return false;
    message->size = little_endian(header);
    message->type = Request(little_endian(header + 4));
    if (message->size > max_body) return false;
    message->body[message->size] = 0;
    return read_all(message->body, message->size);
}

void send(Reply type, const Text& body) {
    static char frame[header_size + max_body];
    uint32_t words[2] = {uint32_t(body.size()), uint32_t(type)};
    for (size_t i = 0; i < header_size; i++) frame[i] = char(words[i / 4] >> (8 * (i % 4)));
    memcpy(frame + header_size, body.data(), body.size());
    size_t left = header_size + body.size();
    for (char* p = frame; left > 0;) {
        ssize_t n = write(judge, p, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        p += n;
        left -= size_t(n);
    }
}

const char* Fields::next_line() {
    if (next_ == nullptr || *next_ == 0) return nullptr;
    rest_ = next_;
    char* end = strchr(next_, '\n');
    next_ = end == nullptr ? nullptr : end + 1;
    if (end != nullptr) *end = 0;
    return next_field();
}

const char* Fields::next_field() {
    if (rest_ == nullptr) return "";
    char* start = rest_;
    char* end = strchr(start, '\t');
    rest_ = end == nullptr ? nullptr : end + 1;
    if (end != nullptr) *end = 0;
    return start;
}

}  // namespace hone
