"""Sessions of today, kept as JSON, which every later version must load, replay and go on with."""
