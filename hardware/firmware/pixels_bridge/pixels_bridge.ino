// Bridge for Sandtable: hears the advertisements of Pixels dice and says their rolls on the serial port, a JSON line
// each (docs/hardware.md). Board: any ESP32 with Bluetooth. Library: NimBLE-Arduino 2.x. Nothing is connected to the
// dice: close the app of their maker, for a die that is connected elsewhere does not advertise.

#include <NimBLEDevice.h>

constexpr uint32_t HELLO_EVERY_MS = 2000;
constexpr uint32_t REPEAT_AFTER_MS[] = {0, 300, 1500};  // the program drops what it has heard before
constexpr uint8_t TIMES = sizeof(REPEAT_AFTER_MS) / sizeof(REPEAT_AFTER_MS[0]);
constexpr uint8_t MOST_DICE = 16, MOST_ROLLS = 16;
constexpr uint8_t ROLLED = 1, HANDLING = 2, ROLLING = 3, CROOKED = 4;  // roll states of Pixels

struct Die {
  uint32_t id;
  uint8_t state;
};

struct Roll {
  uint32_t id, seq, fellMs;
  uint8_t face, said;
  bool cocked;
};

Die dice[MOST_DICE];
uint8_t diceKnown = 0;
Roll rolls[MOST_ROLLS];
uint32_t seq = 0, boot = 0, helloMs = 0u - HELLO_EVERY_MS;
portMUX_TYPE guard = portMUX_INITIALIZER_UNLOCKED;  // the radio's task writes rolls, the loop says them

// CRC-32 as in zip and PNG.
uint32_t crc32(const char *text) {
  uint32_t crc = 0xFFFFFFFF;
  for (; *text; text++) {
    crc ^= uint8_t(*text);
    for (uint8_t bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

// `body` is a JSON object without its closing brace.
void say(const char *body) {
  Serial.printf("%s,\"crc\":\"%08lx\"}\n", body, (unsigned long)crc32(body));
}

// The die's state before this one; a die that was never seen has state 0, so that where it lies is no roll.
uint8_t exchangeState(uint32_t id, uint8_t state) {
  for (uint8_t k = 0; k < diceKnown; k++) {
    if (dice[k].id == id) {
      const uint8_t before = dice[k].state;
      dice[k].state = state;
      return before;
    }
  }
  if (diceKnown < MOST_DICE) dice[diceKnown++] = {id, state};
  return 0;
}

class Ears : public NimBLEScanCallbacks {
  void onResult(const NimBLEAdvertisedDevice *heard) override {
    const std::string maker = heard->getManufacturerData();                   // company 2, LEDs, look, state, face, ..
    const std::string info = heard->getServiceData(NimBLEUUID(uint16_t(0x180A)));  // id 4, least byte first, date 4
    if (maker.size() != 7 || info.size() != 8) return;
    const uint8_t leds = maker[2], state = maker[4], face = maker[5];
    if ((leds != 6 && leds != 21) || face > 5) return;  // not six-sided
    uint32_t id = 0;
    for (int8_t k = 3; k >= 0; k--) id = id << 8 | uint8_t(info[k]);
    const uint8_t before = exchangeState(id, state);
    if ((before != HANDLING && before != ROLLING) || (state != ROLLED && state != CROOKED)) return;
    portENTER_CRITICAL(&guard);
    rolls[seq % MOST_ROLLS] = {id, seq, uint32_t(millis()), uint8_t(face + 1), 0, state == CROOKED};
    seq++;
    portEXIT_CRITICAL(&guard);
  }
};

Ears ears;

void setup() {
  Serial.begin(115200);
  boot = esp_random() & 0xFFFF;
  for (Roll &roll : rolls) roll.said = TIMES;
  NimBLEDevice::init("");
  NimBLEScan *scan = NimBLEDevice::getScan();
  scan->setScanCallbacks(&ears, true);  // every advertisement, not the first of each die
  scan->setActiveScan(true);            // the id comes in the answer to a scan
  scan->setInterval(50);
  scan->setWindow(50);
  scan->setMaxResults(0);               // keep none
  scan->start(0, false);
}

void loop() {
  char body[160];
  const uint32_t now = millis();
  if (now - helloMs >= HELLO_EVERY_MS) {
    helloMs = now;
    snprintf(body, sizeof body, "{\"t\":\"hello\",\"proto\":1,\"boot\":%lu", (unsigned long)boot);
    say(body);
  }
  for (Roll &slot : rolls) {
    portENTER_CRITICAL(&guard);
    const Roll roll = slot;
    const uint32_t age = millis() - roll.fellMs;
    const bool due = roll.said < TIMES && age >= REPEAT_AFTER_MS[roll.said];
    if (due) slot.said++;
    portEXIT_CRITICAL(&guard);
    if (!due) continue;
    snprintf(body, sizeof body, "{\"t\":\"roll\",\"id\":\"px%08lx\",\"sides\":6,\"face\":%u,\"seq\":%lu,\"age_ms\":%lu%s",
             (unsigned long)roll.id, roll.face, (unsigned long)roll.seq, (unsigned long)age,
             roll.cocked ? ",\"cocked\":true" : "");
    say(body);
  }
  delay(5);
}
