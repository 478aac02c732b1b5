"""Tournaments that a server hosts among the players who connect to it (``TournamentService``)."""

from palio.tournament.hosted.extension import TournamentExtension

__all__ = ["TournamentExtension"]
