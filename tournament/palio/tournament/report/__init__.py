"""The report of a tournament: one HTML file with drawn plots that needs nothing else, on screen or on paper."""

from palio.tournament.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
