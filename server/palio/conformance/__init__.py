"""The conformance kit behind ``palio check``: a server that is correct and then nasty, and what it demands of a bot.

:mod:`~palio.conformance.scenarios` holds the obligations and how each is tried; :mod:`~palio.conformance.kit` tries
them against a program; :mod:`~palio.conformance.report` says how it went.
"""

from palio.conformance.kit import Report, Settings, check
from palio.conformance.obligation import Obligation, Status, Verdict

__all__ = ["Obligation", "Report", "Settings", "Status", "Verdict", "check"]
