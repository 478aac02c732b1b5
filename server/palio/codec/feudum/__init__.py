"""Feudum between rules and protobuf."""

from palio.codec.feudum.codec import CODEC

__all__ = ["CODEC"]
