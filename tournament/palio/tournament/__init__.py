"""Tournaments: pairing, schedules, the runner, ratings, reports."""
