"""A waiting room between zenoh's threads and the loop: so many and no more."""

import threading
from collections.abc import Callable


class Room:
    def __init__(self, places: int, turned_away: Callable[[int], None]):
        """`turned_away` is told how many found no place so far: at the first, and whenever their number doubled."""
        self.places, self.turned_away = places, turned_away
        self.inside = self.outside = 0
        self.lock = threading.Lock()

    def enter(self) -> bool:
        """From any thread."""
        with self.lock:
            if self.inside < self.places:
                self.inside += 1
                return True
            self.outside += 1
            number = self.outside
        if number & (number - 1) == 0:
            self.turned_away(number)
        return False

    def leave(self) -> None:
        with self.lock:
            self.inside -= 1
