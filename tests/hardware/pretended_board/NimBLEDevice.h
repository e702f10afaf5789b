#pragma once
#include "Arduino.h"

typedef int portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED 0
#define portENTER_CRITICAL(guard)
#define portEXIT_CRITICAL(guard)
inline uint32_t esp_random() { return 0x12345678; }

struct NimBLEUUID {
  explicit NimBLEUUID(uint16_t) {}
};

struct NimBLEAdvertisedDevice {
  std::string maker, info;
  std::string getManufacturerData() const { return maker; }
  std::string getServiceData(const NimBLEUUID &) const { return info; }
};

struct NimBLEScanCallbacks {
  virtual void onResult(const NimBLEAdvertisedDevice *) {}
};

struct NimBLEScan {
  NimBLEScanCallbacks *ears = nullptr;
  void setScanCallbacks(NimBLEScanCallbacks *these, bool) { ears = these; }
  void setActiveScan(bool) {}
  void setInterval(uint16_t) {}
  void setWindow(uint16_t) {}
  void setMaxResults(uint8_t) {}
  bool start(uint32_t, bool) { return true; }
};
inline NimBLEScan pretendedScan;

struct NimBLEDevice {
  static void init(const std::string &) {}
  static NimBLEScan *getScan() { return &pretendedScan; }
};
