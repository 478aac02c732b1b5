"""Programs that the runner starts: bots and the server, with limits, a sandbox and their last words."""

from palio.tournament.processes.child import Child, ExitReport, Launch
from palio.tournament.processes.limits import Limits
from palio.tournament.processes.sandbox import Sandbox, find_sandbox

__all__ = ["Child", "ExitReport", "Launch", "Limits", "Sandbox", "find_sandbox"]
