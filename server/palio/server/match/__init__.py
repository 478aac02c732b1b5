"""One match: what happens becomes records in its journal, and from these follow the messages to its seats."""
