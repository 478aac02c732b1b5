"""The arena server: sessions, match rooms, clocks, journal, services."""
