"""``CatalogService``: the games, described as data."""

from __future__ import annotations

from palio.codec import codec_of
from palio.codec.status import NotFound
from palio.engine.game import Rules
from palio.games import all_rules
from palio.server.access.interceptor import Context
from palio.server.paging import page
from palio.v1 import catalog_pb2, catalog_pb2_grpc


class Catalog(catalog_pb2_grpc.CatalogServiceServicer):
    """The servicer.

    Args:
        largest_page: entries of a list.
    """

    def __init__(self, largest_page: int) -> None:
        self._largest_page = largest_page

    async def ListGames(self, request: catalog_pb2.ListGamesRequest, context: Context) -> catalog_pb2.ListGamesResponse:
        games = [game_message(rules) for _, rules in sorted(all_rules().items())]
        found, token = page(games, request.page_size, request.page_token, self._largest_page)
        return catalog_pb2.ListGamesResponse(games=found, next_page_token=token)

    async def GetGame(self, request: catalog_pb2.GetGameRequest, context: Context) -> catalog_pb2.GetGameResponse:
        rules = all_rules().get(request.game)
        if rules is None:
            known = ", ".join(sorted(all_rules()))
            raise NotFound(f"there is no game {request.game!r}; known games: {known}", field="game")
        codec = codec_of(request.game)
        return catalog_pb2.GetGameResponse(
            game=game_message(rules), catalogue=codec.catalogue(), default_options=codec.game_options(rules.options())
        )


def game_message(rules: Rules) -> catalog_pb2.Game:
    """A game as the catalogue lists it."""
    return catalog_pb2.Game(
        id=rules.game_id,
        title=rules.title,
        rules_version=rules.version,
        seats=rules.seats,
        options=[
            catalog_pb2.GameOptionField(
                name=field.name,
                type=field.type,
                default_value=field.default,
                minimum=field.minimum,
                maximum=field.maximum,
                help=field.help,
            )
            for field in rules.option_fields
        ],
    )
