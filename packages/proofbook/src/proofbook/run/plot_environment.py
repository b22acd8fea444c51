"""How scripts draw with Matplotlib: the style sheet and the variables that make it theirs."""

from __future__ import annotations

from pathlib import Path

STYLE = Path(__file__).with_name("plot.mplstyle")


def plot_environment() -> dict[str, str]:
    """The environment variables with which a script draws figures in the form of the book."""
    return {
        "MATPLOTLIBRC": str(STYLE),
        "MPLBACKEND": "agg",
        # What `plt.show()` says where there is a screen and nothing is shown on it.
        "PYTHONWARNINGS": "ignore:FigureCanvasAgg is non-interactive",
    }
