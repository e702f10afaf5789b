// As much of a board as the sketches touch. Its time passes while it looks for bytes and while it waits.
#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>

inline uint32_t pretendedMs = 0;
inline uint32_t millis() { return pretendedMs; }
inline void delay(uint32_t ms) { pretendedMs += ms; }

struct PretendedSerial {
  std::deque<uint8_t> in;
  std::string out;
  void begin(long) {}
  int available() {
    if (in.empty()) pretendedMs++;
    return int(in.size());
  }
  int read() {
    if (in.empty()) return -1;
    const int byte = in.front();
    in.pop_front();
    return byte;
  }
  void print(const char *text) { out += text; }
  void printf(const char *format, ...) {
    char line[512];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    out += line;
  }
};
inline PretendedSerial Serial;
