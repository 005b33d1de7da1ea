// Framed messages over the socket to the judge, descriptor 3.
#ifndef HONE_MESSAGE_H
#define HONE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

namespace hone {

constexpr size_t max_body = 64 << 10;
constexpr int max_descriptors = 64;

enum class Request : uint32_t { load = 1, map, call, exit, time };
enum class Reply : uint32_t { hello = 1, ok, fault };

// Text is a body under construction: lines of tab-separated fields. It never
// allocates, so that signal handlers may use it, and drops what does not fit.
class Text {
  public:
    // line starts a line with its first field.
    Text& line(const char* name);
    Text& field(const char* text);
    Text& field(long long number);
    // format adds one field made as printf would.
    Text& format(const char* format, ...) __attribute__((format(printf, 2, 3)));
    const char* data() const { return data_; }
    size_t size() const { return size_; }

  private:
    void add(const char* text, bool escape);
    char data_[max_body];
    size_t size_ = 0;
};

// Incoming is one message from the judge. Its body is text, ended by a zero byte.
struct Incoming {
    Request type;
    char body[max_body + 1];
    size_t size;
    int descriptors[max_descriptors];
    int descriptor_count;
};

// receive waits for a message; false when the judge has gone or broke the protocol.
bool receive(Incoming* message);
void send(Reply type, const Text& body);

// Fields walks over the lines of a body, cutting it into zero-terminated fields.
class Fields {
  public:
    explicit Fields(Incoming* message) : next_(message->body) {}
    // next_line moves to the next line and returns its first field, or null at the end.
    const char* next_line();
    // next_field returns the next field of this line, or an empty string.
    const char* next_field();

  private:
    char* next_;
    char* rest_ = nullptr;
};

}  // namespace hone

#endif
