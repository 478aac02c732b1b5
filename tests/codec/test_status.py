"""The error table, in both directions and over a real call."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from palio.codec import status
from palio.engine import errors
from palio.engine.errors import InvalidSetup, StaleDecision
from palio.v1 import play_pb2


def _raised(row: status.Row) -> Exception:
    if issubclass(row.error, InvalidSetup):
        return InvalidSetup("deck.virtus[3].copies", "at most 20")
    return row.error("what went wrong")


@pytest.mark.parametrize("row", status.TABLE, ids=lambda row: row.reason)
def test_every_row_survives_the_wire(row: status.Row) -> None:
    error = _raised(row)
    back = status.from_proto(status.to_proto(error))
    assert (back.code, back.reason, back.error_class) == (row.code, row.reason, row.error)
    assert back.message == str(error)
    assert back.field == status.field_of(error)


def test_the_table_is_complete_and_unambiguous() -> None:
    rows = {row.error for row in status.TABLE}
    for module, base in ((errors, errors.GameError), (status, status.ServiceError)):
        classes = {c for c in vars(module).values() if isinstance(c, type) and issubclass(c, base)} - {
            errors.GameError,
            status.ServiceError,
        }
        assert classes <= rows
    assert len({row.reason for row in status.TABLE}) == len(rows) == len(status.TABLE)


def test_field_and_metadata_are_kept() -> None:
    error = status.InvalidRequest("no game called chess", field="game", metadata={"allowed": "fidelitas, feudum"})
    back = status.from_proto(status.to_proto(error))
    assert (back.field, back.metadata) == ("game", {"allowed": "fidelitas, feudum"})


def test_an_internal_error_tells_nothing() -> None:
    sent = status.to_proto(RuntimeError("password is swordfish"))
    assert sent.code == grpc.StatusCode.INTERNAL.value[0]
    assert b"swordfish" not in sent.SerializeToString()
    assert not status.from_proto(sent).transient


def test_choices_map_to_rejections() -> None:
    assert status.row_of(StaleDecision("late")).rejection == play_pb2.REJECTION_REASON_STALE
    assert status.row_of(status.NotFound("?")).rejection == play_pb2.REJECTION_REASON_UNSPECIFIED


def test_details_of_other_domains_and_kinds_are_ignored() -> None:
    sent = status_pb2.Status(code=99, message="odd")
    sent.details.add().Pack(error_details_pb2.ErrorInfo(reason="X", domain="elsewhere.example"))
    sent.details.add(type_url="type.example/unknown", value=b"\x00")
    back = status.from_proto(sent)
    assert (back.code, back.reason, back.error_class) == (grpc.StatusCode.UNKNOWN, "", None)


class _Failed(grpc.RpcError):
    def __init__(self, code: grpc.StatusCode, metadata: Any) -> None:
        super().__init__()
        self._code, self._metadata = code, metadata

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return "socket closed"

    def trailing_metadata(self) -> Any:
        return self._metadata


@pytest.mark.parametrize("metadata", [None, (), (("grpc-status-details-bin", b"\xff\xff"),)])
def test_a_broken_connection_is_transient(metadata: Any) -> None:
    for code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN):
        error = status.from_rpc_error(_Failed(code, metadata))
        assert error.transient
        assert error.message == "socket closed"
    assert not status.from_rpc_error(_Failed(grpc.StatusCode.UNIMPLEMENTED, metadata)).transient


async def test_over_a_real_call() -> None:
    async def refuse(_: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        refusal = status.to_status(status.Unauthenticated("töken unknown", metadata={"hint": "palio token create"}))
        await context.abort(refusal.code, refusal.details, refusal.trailing_metadata)
        raise AssertionError("abort returns never")

    server = grpc.aio.server()
    handler = grpc.method_handlers_generic_handler("t.S", {"M": grpc.unary_unary_rpc_method_handler(refuse)})
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/t.S/M")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(b"")
    finally:
        await server.stop(None)
    error = status.from_rpc_error(caught.value)
    assert error.error_class is status.Unauthenticated
    assert error.message == "töken unknown"
    assert error.metadata == {"hint": "palio token create"}
    assert not error.transient
