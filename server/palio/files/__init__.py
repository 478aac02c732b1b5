"""What Palio keeps outside the wire: settings files that people write, and databases. Knows nothing about games."""
