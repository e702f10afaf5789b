#pragma once
#include "Arduino.h"

struct CRGB {
  uint8_t r = 0, g = 0, b = 0;
  enum Named { Black };
  CRGB() = default;
  CRGB(uint8_t r, uint8_t g, uint8_t b) : r(r), g(g), b(b) {}
  CRGB(Named) {}
};

template <uint8_t PIN> struct NEOPIXEL {};

struct PretendedLeds {
  CRGB *leds = nullptr;
  int count = 0;
  std::string shown;  // a line for each time they were lit
  template <template <uint8_t> class KIND, uint8_t PIN> void addLeds(CRGB *them, int many) { leds = them, count = many; }
  void setMaxPowerInVoltsAndMilliamps(int, uint32_t) {}
  void show() {
    char part[8];
    for (int k = 0; k < count; k++) {
      snprintf(part, sizeof part, "%02x%02x%02x", leds[k].r, leds[k].g, leds[k].b);
      shown += part;
    }
    shown += "\n";
  }
  void clear(bool now) {
    for (int k = 0; k < count; k++) leds[k] = CRGB::Black;
    if (now) show();
  }
};
inline PretendedLeds FastLED;
