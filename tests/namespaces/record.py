"""What a run tells at its end, whether it passed or not: figures, and what passed only by patience."""

_told: list[tuple[str, str]] = []


def measured(text: str) -> None:
    _told.append(("measured", text))
    print(f"measured: {text}")


def late(text: str) -> None:
    """It came after the deadline, but within what a busy machine is granted."""
    _told.append(("late", text))
    print(f"late: {text}")


def again(text: str) -> None:
    """It was measured once more, because the machine had other things to do."""
    _told.append(("again", text))
    print(f"again: {text}")


def take() -> list[tuple[str, str]]:
    """What the last scenario told."""
    told = _told.copy()
    _told.clear()
    return told
