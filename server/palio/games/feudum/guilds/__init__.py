"""The six guilds and their functions (section 8 of the rules), one module a guild."""
