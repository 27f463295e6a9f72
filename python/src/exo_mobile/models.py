"""Models on this device: which there are, loading them, asking them, and letting the cluster have them."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakSet

from . import _core
from ._core import ChatMessage, Role
from .answers import Answer
from .ending import closed_at_the_end
from .errors import ExoError, translated
from .gpu import options_of
from .opening import Opening

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from ._core import BackendKind, GpuDevice, LoadProgress, ShelvedModel


class Model:
    """A model that is loaded, until it or its host is closed or nobody holds it any more."""

    def __init__(self, model: _core.Model, host: ModelHost) -> None:
        self._model = model
        # A host that nobody holds closes, and its models with it.
        self._host = host
        # No answer may begin between the end of the model and the end of its answers.
        self._turn = threading.Lock()
        self._answers: WeakSet[Answer] = WeakSet()
        with translated():
            self.id = model.id()
            """What it is called, such as `mlx-community/Qwen3-0.6B-4bit`."""
            self.memory = model.memory()
            """Bytes that it uses."""
            self.context = model.context()
            """Positions of all its conversations together."""

    def ask(
        self,
        conversation: str | Iterable[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        top_k: int | None = None,
        min_p: float | None = None,
        seed: int | None = None,
        stop: str | Iterable[str] = (),
        thinking: bool | None = None,
    ) -> Answer:
        """Asks it, and gives the answer as it is made; several may be asked for at once.

        What is left out, the model's own files say. What the model cannot take is an error of the answer.

        :param conversation: the messages so far, or one question of the user's
        :param max_tokens: how many tokens the answer may have
        :param temperature: 0 takes the likeliest token each time; higher is more varied
        :param top_p: only the likeliest tokens that have this probability together
        :param top_k: only so many of the likeliest tokens
        :param min_p: only tokens that are at least this part as likely as the likeliest
        :param seed: the same seed gives the same answer on the same device
        :param stop: a text, or texts, before which the answer ends
        :param thinking: whether the model shall think first, where it can
        """
        if isinstance(conversation, str):
            conversation = [ChatMessage(role=Role.USER, content=conversation)]
        question = _core.Question(
            messages=list(conversation),
            max_tokens=max_tokens,
            temperature=temperature,
            top_p=top_p,
            top_k=top_k,
            min_p=min_p,
            seed=seed,
            stop=[stop] if isinstance(stop, str) else list(stop),
            thinking=thinking,
        )
        with self._turn, translated():
            answer = Answer(self._model.ask(question), self)
            self._answers.add(answer)
        return answer

    async def close(self) -> None:
        """Lets go of it; its memory is given back unless others have it loaded. Twice is fine.

        Who waits for an answer gets an error of the kind `CLOSED`.
        """
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        # The core tells who waits `CLOSED` after the step that is being computed. Here they hear it at once.
        with self._turn, translated():
            self._model.shut()
            answers = list(self._answers)
        for answer in answers:
            answer.shut()


class ModelHost:
    """The models of this device, and the device that computes them.

    Opened once, for a program's own questions and for a cluster's, which `ExoNode.join(models=host)` lets have what was
    offered. Closed by :meth:`close`, or when nobody holds it, a model of it or a node with it any more.
    """

    def __init__(self, host: _core.ModelHost) -> None:
        self._host = host
        closed_at_the_end(host)

    @classmethod
    def open(
        cls,
        directory: str | os.PathLike[str],
        *,
        context: int = 4096,
        backend: BackendKind | None = None,
        device: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        memory_cap: int | None = None,
    ) -> Opening[ModelHost]:
        """Opens the best device: a GPU, else the CPU. Nothing is loaded, and nothing offered, until you say so.

        :param directory: where models lie, each in a folder as exo names it: `mlx-community--Qwen3-0.6B-4bit`
        :param context: positions of all conversations of a model together; halved, and halved again, where memory is
            short
        :param backend: this one, and no other in its place
        :param device: the device whose name has this in it
        :param data_dir: where the verdicts on kernels are kept, so that the next start is quick; nowhere if left out
        :param memory_cap: use at most this many bytes
        """

        async def begin() -> ModelHost:
            options = _core.ModelHostOptions(
                directory=str(directory),
                gpu=options_of(backend=backend, device=device, data_dir=data_dir, memory_cap=memory_cap),
                context=context,
            )
            with translated():
                return cls(await _core.ModelHost.open(options))

        return Opening(begin)

    @property
    def core(self) -> _core.ModelHost:
        """For this package alone."""
        return self._host

    def device(self) -> GpuDevice:
        """The device that computes."""
        with translated():
            return self._host.device()

    async def models(self) -> list[ShelvedModel]:
        """All models that are on this device, with what each would cost, or why it cannot be loaded."""
        with translated():
            return await self._host.models()

    def used(self) -> int:
        """Bytes that loaded models use."""
        with translated():
            return self._host.used()

    def load(self, model: str, progress: Callable[[LoadProgress], object] | None = None) -> Opening[Model]:
        """Loads a model, or shares it with whoever has it loaded. A task that is cancelled meanwhile ends the load.

        :param model: its id, such as `mlx-community/Qwen3-0.6B-4bit`
        :param progress: hears of each layer, in the loop of who waits; what it raises ends the load
        """

        async def begin() -> Model:
            with translated():
                loading = self._host.load(model)
            try:
                while (step := await _next(loading)) is not None:
                    if progress is not None:
                        progress(step)
                with translated():
                    return Model(loading.model(), self)
            finally:
                # Does nothing to a model that was handed over.
                with translated():
                    loading.cancel()

        return Opening(begin)

    def offer(self, *models: str) -> None:
        """Lets the cluster have these models and no others; none at all without arguments. Holds at once."""
        with translated():
            self._host.offer(list(models))

    def offered(self) -> list[str]:
        """The models that the cluster may have."""
        with translated():
            return self._host.offered()

    async def close(self) -> None:
        """Lets go of all models. Who waits for an answer gets an error of the kind `CLOSED`. Twice is fine."""
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        # A node that serves its models would go on offering what is gone. One that is closed has withdrawn it already.
        with suppress(ExoError):
            self.offer()
        with translated():
            self._host.shut()


async def _next(loading: _core.ModelLoading) -> LoadProgress | None:
    with translated():
        return await loading.next()
