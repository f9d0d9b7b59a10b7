"""What the agent hears of the target: optimizer steps, backward passes, module calls, data loading.

Installed when the target itself imports torch (so that its environment variables still count), by
wrapping a handful of entry points. Each wrapper calls the original first or last and changes
nothing.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .capture import FETCH_COLUMNS, new_table
from .module_calls import ModuleCalls
from .own_profilers import replace_profilers
from .standing_for import standing_for

_MAX_BEGUN = 1000  # epochs of one loader


class Listener(Protocol):
    """Who is told. ``frame`` is the frame that called the wrapped entry point."""

    def event(self, kind: str, frame: Any) -> None:
        """See ``boundary.StepFinder.event``."""


class WorkerLines(Protocol):
    """See ``workers.Workers``."""

    def ask(self, wanted: bool) -> None:
        """Have the workers of this process record their lines, or stop it."""


class Loaders:
    """DataLoaders as they are made and read: settings, places, and when each fetch ran."""

    def __init__(self, site: Callable[[Any], tuple[str, int] | None]) -> None:
        self._site = site
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._by_iterator: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._depth = threading.local()
        self.all: list[dict[str, Any]] = []
        self.workers: WorkerLines | None = None
        self.become_child()

    def become_child(self) -> None:
        """What was fetched so far is not this process's."""
        self.fetches = new_table(FETCH_COLUMNS)
        self.recording = False

    def trace_workers(self, wanted: bool) -> None:
        """Have workers trace their lines, or not: it slows them down, and the step may wait."""
        if self.workers is not None:
            self.workers.ask(wanted)

    @property
    def fetching(self) -> bool:
        """Whether this thread is inside a loader's ``__next__``."""
        return getattr(self._depth, "value", 0) > 0

    def made(self, loader: Any, frame: Any) -> None:
        """A loader was constructed."""
        self._numbers[loader] = len(self.all)
        self.all.append({"construct": self._site(frame), "loop": None})

    def iterating(self, iterator: Any, loader: Any) -> None:
        """A loader's iterator was made; its settings are final now."""
        if loader not in self._numbers:
            self.made(loader, None)
        number = self._numbers[loader]
        self.all[number].update(
            num_workers=int(getattr(loader, "num_workers", 0)),
            batch_size=getattr(loader, "batch_size", None),
            persistent_workers=bool(getattr(loader, "persistent_workers", False)),
            prefetch_factor=getattr(loader, "prefetch_factor", None),
            pin_memory=bool(getattr(loader, "pin_memory", False)),
            collate=_code_of(getattr(loader, "collate_fn", None)),
        )
        self._by_iterator[iterator] = number

    def have_workers(self) -> bool:
        """Whether some loader is being read that has workers of its own."""
        return any(self.all[number]["num_workers"] for number in self._by_iterator.values())

    def begin(self, loader: Any, original: Callable[[Any], Any]) -> Any:
        """Make an iterator, which starts the workers, and note how long that took."""
        start = time.time_ns()
        iterator = original(loader)
        number = self._numbers.get(loader, -1)
        if self.recording and number >= 0:
            _keep(self.all[number].setdefault("begun", []), start, time.time_ns())
        return iterator

    def fetch(self, iterator: Any, original: Callable[[Any], Any], frame: Any) -> Any:
        """Run the original ``__next__`` and note how long this thread was in it."""
        depth = getattr(self._depth, "value", 0)
        self._depth.value = depth + 1
        noted = self.recording and not depth
        start, cpu = (time.time_ns(), time.thread_time_ns()) if noted else (0, 0)
        ended = False
        try:
            return original(iterator)
        except StopIteration:
            ended = True
            raise
        finally:
            self._depth.value = depth
            if noted:
                number = self._by_iterator.get(iterator, -1)
                if number >= 0 and self.all[number]["loop"] is None:
                    self.all[number]["loop"] = self._site(frame)
                columns = self.fetches
                end = time.time_ns()
                if ended and number >= 0:
                    _keep(self.all[number].setdefault("ended", []), start, end)
                columns["start"].append(start)
                columns["end"].append(end)
                columns["cpu"].append(time.thread_time_ns() - cpu)
                columns["loader"].append(number)
                columns["thread"].append(threading.get_native_id())


def _keep(spans: list[list[int]], start: int, end: int) -> None:
    """Add a span, unless there are very many: each of an endless number of epochs has some."""
    if len(spans) < _MAX_BEGUN:
        spans.append([start, end])


class Models:
    """The optimizers that stepped and the modules that were called, held weakly.

    ``trained()`` is what a framework says that it trains, None if there is none or it is gone.
    """

    def __init__(self) -> None:
        self.trained: Callable[[], Any] = lambda: None
        self.become_child()

    def become_child(self) -> None:
        """What stepped and was called so far did so in another process."""
        self.optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        self.modules: weakref.WeakSet[Any] = weakref.WeakSet()


def install(
    torch: Any,
    listener: Listener,
    loaders: Loaders,
    models: Models,
    note: Callable[[str], None],
) -> ModuleCalls:
    """Wrap torch's entry points. Returns what hears of module calls, which is to be stopped.

    ``note`` takes a sentence that the reader of the report must know.
    """
    tell = listener.event
    _wrap_optimizers(tell, models)
    _wrap_backward(torch, tell)
    _wrap_loaders(loaders)
    replace_profilers(torch, tell, note)

    def called(module: Any, frame: Any) -> None:
        if not loaders.fetching and next(module.parameters(), None) is not None:
            models.modules.add(module)
            tell("module", frame)

    return ModuleCalls(torch, called)


def _wrap_optimizers(tell: Callable[[str, Any], None], models: Models) -> None:
    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        models.optimizers.add(optimizer)
        tell("optimizer", sys._getframe(1))

    # torch.optim does not keep its submodule as an attribute.
    optimizer_module: Any = importlib.import_module("torch.optim.optimizer")
    optimizer_module.register_optimizer_step_post_hook(stepped)


def _wrap_backward(torch: Any, tell: Callable[[str, Any], None]) -> None:
    """Hear of ``backward()`` and of ``autograd.grad()``, which ``torch.func`` calls too."""
    busy = threading.local()

    def heard(original: Callable[..., Any]) -> Callable[..., Any]:
        @standing_for(original)
        def differentiate(*args: Any, **kwargs: Any) -> Any:
            # Reentrant backward (inside checkpoint, say) is part of the outer one.
            outermost = not getattr(busy, "value", False)
            busy.value = True
            try:
                result = original(*args, **kwargs)
            finally:
                if outermost:
                    busy.value = False
            if outermost:
                tell("backward", sys._getframe(1))
            return result

        return differentiate

    torch.autograd.backward = heard(torch.autograd.backward)
    torch.autograd.grad = heard(torch.autograd.grad)


def _code_of(function: Any) -> list[str] | None:
    """(file, name) of the code that a function, or an object that is called like one, runs."""
    called = getattr(function, "func", function)  # of a functools.partial
    method = vars(type(called)).get("__call__")
    code = getattr(called, "__code__", None) or getattr(method, "__code__", None)
    if code is None:
        return None
    return [os.path.abspath(code.co_filename), getattr(code, "co_qualname", code.co_name)]


def _wrap_loaders(loaders: Loaders) -> None:
    data: Any = importlib.import_module("torch.utils.data.dataloader")
    base, loader_class = data._BaseDataLoaderIter, data.DataLoader
    make, begin, advance = loader_class.__init__, base.__init__, base.__next__
    get_iterator = loader_class._get_iterator

    @standing_for(make)
    def make_loader(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        loaders.made(self, sys._getframe(1))

    @standing_for(begin)
    def begin_iteration(self: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, loader, *args, **kwargs)
        loaders.iterating(self, loader)

    @standing_for(advance)
    def fetch_next(self: Any) -> Any:
        return loaders.fetch(self, advance, sys._getframe(1))

    @standing_for(get_iterator)
    def begin_epoch(self: Any) -> Any:
        return loaders.begin(self, get_iterator)

    loader_class.__init__ = make_loader
    loader_class._get_iterator = begin_epoch
    base.__init__ = begin_iteration
    base.__next__ = fetch_next
