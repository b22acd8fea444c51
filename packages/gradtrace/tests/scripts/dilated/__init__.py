"""Causal convolutions with gates, each reaching twice as far back as the one before."""

from .model import DilatedNet

__all__ = ["DilatedNet"]
