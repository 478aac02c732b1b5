"""From a tournament file to the schedule, the deals and the ids of its matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from google.protobuf.message import Message

from palio.codec import codec_of
from palio.codec.jsons import parse
from palio.engine.errors import InvalidSetup
from palio.engine.game import OptionField
from palio.files.settings import did_you_mean
from palio.games import rules_of
from palio.tournament.config import SprtSettings, TournamentConfig
from palio.tournament.pairing import Block, Format, Plan, build, deal_seed
from palio.tournament.pairing.fixed import Fixed
from palio.tournament.rating.sprt import Hypotheses
from palio.v1 import game_pb2

_TYPES: Final[dict[str, type]] = {"int": int, "bool": bool}


@dataclass(frozen=True, slots=True)
class Terms:
    """What all matches of a tournament have in common.

    Attributes:
        config: the tournament file.
        seed: the text that deals and pairings come from.
        options: the game's options, for ``CreateMatch``.
        sides: for each size of match, per seat the side it plays for.
    """

    config: TournamentConfig
    seed: str
    options: game_pb2.GameOptions
    sides: dict[int, tuple[int, ...]]

    def match_id(self, block: int, seating: int) -> str:
        """The same in every run."""
        return f"{self.config.id}.{block}.{seating}"

    def match_seed(self, block: Block) -> bytes:
        """32 bytes, the same for all seatings of a block."""
        return deal_seed(self.seed, block.deal)


@dataclass(frozen=True, slots=True)
class Schedule(Terms):
    """What is to be played.

    Attributes:
        format: hands out the blocks.
    """

    format: Format

    @property
    def terms(self) -> Terms:
        """Without the blocks, of which there may be very many."""
        return Terms(self.config, self.seed, self.options, self.sides)


def make_schedule(config: TournamentConfig, seed: str) -> Schedule:
    """Plan a tournament.

    Raises:
        InvalidSetup: the game's options, or format, bots and sizes do not fit together; the field is named.
    """
    rules = rules_of(config.game)
    message = options_message(config.game, config.options)
    options = codec_of(config.game).read_game_options(message)
    sides: dict[int, tuple[int, ...]] = {}
    for count in config.players:
        try:
            sides[count] = tuple(rules.start(deal_seed(seed, 0), count, options).sides)
        except InvalidSetup as error:
            known = {field.name for field in rules.option_fields}
            raise InvalidSetup(
                f"options.{error.field}" if error.field in known else error.field, error.reason
            ) from None
    formats = [_format(config, seed, count, sides[count]) for count in config.players]
    return Schedule(config, seed, message, sides, _merged(formats, config.shared_deals))


def options_message(game: str, given: dict[str, Any]) -> game_pb2.GameOptions:
    """Options of a tournament file as a message.

    Raises:
        InvalidSetup: a name, a type or a value is wrong; ``field`` begins with ``options.``.
    """
    if not given:
        return codec_of(game).game_options(rules_of(game).options())
    fields = {field.name: field for field in rules_of(game).option_fields}
    for name, value in given.items():
        if name not in fields:
            listed = f"{game} has {', '.join(fields)}" if fields else f"{game} has none"
            raise InvalidSetup(f"options.{name}", f"unknown option; {did_you_mean(name, fields)}{listed}")
        wanted = _TYPES.get(fields[name].type)
        if wanted is not None and type(value) is not wanted:
            raise InvalidSetup(f"options.{name}", f"{value!r} is not allowed; allowed: {_allowed(fields[name])}")
    message = game_pb2.GameOptions()
    if game not in {field.name for field in message.DESCRIPTOR.fields}:
        return codec_of(game).game_options(rules_of(game).options(**given))
    payload: Message = getattr(message, game)
    payload.SetInParent()
    parse(given, payload, "options", "options")
    try:
        codec_of(game).read_game_options(message)
    except InvalidSetup as error:
        raise InvalidSetup(f"options.{error.field}", error.reason) from None
    return message


def _allowed(field: OptionField) -> str:
    if field.type == "bool":
        return "true or false"
    if field.minimum is None or field.maximum is None:
        return "a whole number"
    return f"whole numbers from {field.minimum} to {field.maximum}"


def _format(config: TournamentConfig, seed: str, count: int, sides: Sequence[int]) -> Format:
    teams = len(set(sides)) < len(sides)
    if teams and tuple(sides) != (0, 1, 0, 1):
        raise InvalidSetup("players", f"{config.game} plays sides {tuple(sides)}; schedules know two teams of two")
    sprt = config.sprt or SprtSettings()
    return build(
        Plan(
            format=config.format,
            bots=tuple(bot.name for bot in config.bots),
            seats=count,
            deals=config.deals_for(count),
            seed=seed,
            duplicate=config.duplicate,
            seatings=config.seatings,
            teams=teams,
            pairs=tuple(config.pairs.items()),
            challengers=config.challengers,
            rounds=config.rounds,
            shared_deals=config.shared_deals,
            hypotheses=Hypotheses(**sprt.model_dump(exclude={"ahead"})),
            ahead=sprt.ahead,
        )
    )


def _merged(formats: Sequence[Format], shared_deals: bool) -> Format:
    """Several sizes of match as one schedule, mixed evenly, so that an unfinished tournament has some of each."""
    if len(formats) == 1:
        return formats[0]
    placed: list[tuple[float, int, Block]] = []
    for which, part in enumerate(formats):
        blocks = part.blocks({})
        placed += [((at + 0.5) / len(blocks), which, block) for at, block in enumerate(blocks)]
    placed.sort(key=lambda item: item[:2])
    merged = [
        replace(block, index=index, deal=block.deal * len(formats) + which if shared_deals else index)
        for index, (_, which, block) in enumerate(placed)
    ]
    sizes = [len(part.blocks({})[0].players) for part in formats]
    notes = tuple(f"{size} players: {note}" for size, part in zip(sizes, formats, strict=True) for note in part.notes)
    return Fixed(formats[0].name, tuple(merged), notes)
