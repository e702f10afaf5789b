// Range rod for Sandtable: Adalight on the serial port, a strip of WS2812 on one pin.
// Library: FastLED. Boards: Arduino Nano or Uno, ESP32, RP2040. Wiring: docs/hardware.md.

#include <FastLED.h>

constexpr uint8_t DATA_PIN = 6;            // an ESP32 has no pin 6 to spare: use 16 there
constexpr uint16_t LEDS = 60;              // as many as the strip has; frames for more are cut, for fewer filled up
constexpr uint32_t MOST_MILLIAMPS = 450;   // what a USB port gives; more with a supply of its own
constexpr uint32_t DARK_AFTER_MS = 2500;   // the program sends every second; without it the rod goes dark
constexpr uint32_t GREET_EVERY_MS = 1000;  // tells the program what hangs here, while nothing comes

CRGB leds[LEDS];
uint32_t heardMs = 0, greetedMs = 0;

// The next byte; false if none comes within a tenth of a second, as when the plug was pulled in mid-frame.
bool next(uint8_t &byte) {
  const uint32_t start = millis();
  while (!Serial.available()) {
    if (millis() - start > 100) return false;
  }
  byte = Serial.read();
  return true;
}

// Reads on from an 'A'; true once a whole frame lies in leds. False starts cost the bytes read so far, no more.
bool readFrame() {
  uint8_t d, a, high, low, check;
  if (!next(d) || d != 'd' || !next(a) || a != 'a') return false;
  if (!next(high) || !next(low) || !next(check) || check != (high ^ low ^ 0x55)) return false;
  const uint32_t count = (uint32_t(high) << 8 | low) + 1;
  for (uint32_t k = 0; k < count; k++) {
    uint8_t red, green, blue;
    if (!next(red) || !next(green) || !next(blue)) return false;
    if (k < LEDS) leds[k] = CRGB(red, green, blue);
  }
  for (uint32_t k = count; k < LEDS; k++) leds[k] = CRGB::Black;
  return true;
}

void setup() {
  FastLED.addLeds<NEOPIXEL, DATA_PIN>(leds, LEDS);
  FastLED.setMaxPowerInVoltsAndMilliamps(5, MOST_MILLIAMPS);
  FastLED.clear(true);
  Serial.begin(115200);
  Serial.print("Ada\n");
}

void loop() {
  if (Serial.available() && Serial.read() == 'A' && readFrame()) {
    FastLED.show();
    heardMs = millis();
  }
  const uint32_t now = millis();
  if (now - heardMs < DARK_AFTER_MS) return;
  if (now - greetedMs >= GREET_EVERY_MS) {
    greetedMs = now;
    FastLED.clear(true);
    Serial.print("Ada\n");
  }
}
