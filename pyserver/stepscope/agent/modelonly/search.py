"""From a file to a model that runs: candidates are tried in their order until one has trained."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from . import overrides
from .classes import ModelClass, model_classes, roots
from .constructors import CannotGuess, Constructor, Guesser
from .importing import package_names
from .inputs import InputFinder, Inputs, known_values
from .load import free_memory, parameter_bytes, raised_batch
from .overrides import Override, Written
from .trial import FAILURES, Made, Step, Trial
from .usage import Usage, documented

_TOTAL_S = 30.0  # for everything, whatever the candidates do between two looks at the clock
_PER_CONSTRUCTOR_S = 8.0
_MOST_ROOTS = 4
_MOST_REAL = 6  # real trials of one constructor
_SMALL_BATCH = 2  # normalisation needs two samples
_PARAMETER_SHARE = 0.2  # of free memory: gradients and activations come on top


@dataclass
class Found:
    """What runs.

    ``source`` says where constructor and inputs come from; ``passed_over`` why likelier classes of
    the file were not taken.
    """

    entry: ModelClass
    constructor: str
    inputs: str
    source: str
    model: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    backward: bool
    device: str
    passed_over: list[str] = field(default_factory=list)


class NotFound(Exception):
    """No model runs: one sentence, and the line (1-based) it is about.

    ``wrong`` tells that something a person wrote down is at fault.
    """

    def __init__(self, sentence: str, line: int | None = None, *, wrong: bool = False) -> None:
        super().__init__(sentence)
        self.sentence, self.line, self.wrong = sentence, line, wrong


@dataclass(frozen=True)
class _Candidate:
    """One running combination."""

    constructor: str
    inputs: Inputs
    source: str
    made: Made
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    batch: int
    step: Step


class Search:
    """One search over one imported file."""

    def __init__(
        self, torch: Any, module: ModuleType, source: str, path: str, wishes: dict[str, Any]
    ) -> None:
        self.torch = torch
        self.module = module
        self.tree = ast.parse(source)
        self.path = path
        self.wishes = wishes
        self.file = os.path.basename(path)
        self.classes = model_classes(self.tree, module, torch)
        self.comments = overrides.comments(source)
        self.guesser = Guesser(module, self.tree, self.classes, torch)
        self.trial = Trial(torch, module, package_names(module))
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.end = time.monotonic() + _TOTAL_S

    def find(self, *, raise_batch: bool = True) -> Found:
        """The model of the file. Raises ``NotFound``; what user code raises stays inside."""
        passed: list[str] = []
        first: NotFound | None = None
        for entry in self._roots():
            try:
                candidate = self._find(entry)
            except NotFound as failure:
                if failure.wrong:
                    raise
                first = first or failure
                passed.append(failure.sentence)
                continue
            return self._finish(entry, candidate, passed, raise_batch)
        assert first is not None  # there is one root at least
        raise first

    def _roots(self) -> list[ModelClass]:
        symbol = self.wishes.get("symbol")
        if not self.classes:
            raise NotFound(f"{self.file} defines no torch.nn.Module class that could be profiled.")
        if symbol:
            chosen = [entry for entry in self.classes if entry.name == symbol]
            if not chosen:
                names = ", ".join(entry.name for entry in self.classes)
                text = f"{self.file} has no module class {symbol}; it defines {names}."
                raise NotFound(text, wrong=True)
            return chosen
        about = [overrides.class_of(c, self.classes) for c in self.comments if c.key == "model"]
        settings = self.wishes.get("settings") or {}
        named = [e for e in self.classes if e.name in about or e.name in settings]
        given = str(self.wishes.get("model") or "").partition("(")[0].strip()
        named = [e for e in self.classes if e.name == given] or named
        found = named or roots(self.classes, self.tree, self.path)
        if not found:
            text = f"No class of {self.file} defines a forward that could be called."
            raise NotFound(text, self.classes[0].line)
        return found[:_MOST_ROOTS]

    def _finish(
        self, entry: ModelClass, found: _Candidate, passed: list[str], raise_batch: bool
    ) -> Found:
        batch, args, kwargs, device = found.batch, found.args, found.kwargs, self.device
        if raise_batch:
            model, inputs = found.made.model, found.inputs
            batch = raised_batch(self.trial, model, inputs, batch, found.step.seconds, device)
            args, kwargs = self.trial.arguments(inputs, batch, device)
        text = found.inputs.text(batch)
        return Found(
            entry, found.constructor, text, found.source, found.made.model, args, kwargs,
            found.step.backward, device, passed,
        )  # fmt: skip

    # -- one class -----------------------------------------------------------------------------

    def _find(self, entry: ModelClass) -> _Candidate:
        override = overrides.override_for(
            entry.name, self.classes, self.comments, self.wishes, self.path
        )
        usages = documented(
            self.tree, self.path, entry.name, self.guesser.factories(entry.name),
            set(self.trial.names),
        )  # fmt: skip
        problems: list[tuple[int, str]] = []
        for constructor in self._constructors(entry, override, usages):
            if isinstance(constructor, CannotGuess):
                problems.append((1, f"{entry.name} {constructor}"))
                continue
            if time.monotonic() > self.end:
                break
            found = self._try_constructor(entry, constructor, override, usages, problems)
            if found is not None:
                return found
        raise self._not_found(entry, problems)

    def _constructors(
        self, entry: ModelClass, override: Override, usages: list[Usage]
    ) -> Iterator[Constructor | CannotGuess]:
        if override.model is not None:
            yield Constructor(override.model.text, override.model.place)
            return
        seen = set()
        for usage in usages:
            if usage.constructor is not None and usage.constructor not in seen:
                seen.add(usage.constructor)
                yield Constructor(usage.constructor, usage.source)
        for candidate in self.guesser.without_usage(entry):
            if isinstance(candidate, CannotGuess) or candidate.text not in seen:
                yield candidate

    def _try_constructor(
        self,
        entry: ModelClass,
        constructor: Constructor,
        override: Override,
        usages: list[Usage],
        problems: list[tuple[int, str]],
    ) -> _Candidate | None:
        text = constructor.text
        try:
            meta = self._meta_model(entry, text)
            size = parameter_bytes(self.torch, meta.model)
            free = free_memory(self.torch, self.device)
            if free is not None and size > _PARAMETER_SHARE * free:
                needed = (
                    f"{size / 1e9:.1f} GB of parameters, {free / 1e9:.1f} GB of memory are free"
                )
                problems.append((2, f"{text} has {needed}"))
                return None
        except FAILURES as error:
            if override.model is not None:
                raise self._wrong(override.model, "model", error) from None
            problems.append((2, f"{text} raised {_words(error)}"))
            return None
        end = min(self.end, time.monotonic() + _PER_CONSTRUCTOR_S)
        real_trials = 0
        failure: tuple[str, BaseException] | None = None
        for inputs in self._inputs(meta, constructor, override, usages):
            if time.monotonic() > end or real_trials >= _MOST_REAL:
                break
            exact = override.inputs is not None
            try:
                if not exact:
                    meta = self._tried_on_meta(entry, text, meta, inputs)
                real_trials += 1
                return self._tried_for_real(entry, constructor, inputs)
            except FAILURES as error:
                if exact:
                    assert override.inputs is not None
                    raise self._wrong(override.inputs, "inputs", error) from None
                failure = failure or (inputs.text(_SMALL_BATCH), error)
        if failure is None:
            problems.append((3, f"nothing says what the forward of {text} takes"))
        else:
            tried = f"the likeliest, {failure[0]}, raised {_words(failure[1])}"
            problems.append((3, f"no inputs were found that {text} takes ({tried})"))
        return None

    def _meta_model(self, entry: ModelClass, text: str) -> Made:
        """On the meta device; one that insists on numbers is made for real and moved there."""
        try:
            return self.trial.make(text, entry.type, "meta")
        except FAILURES as error:
            if not self.trial.is_uncertain(error):
                raise
        made = self.trial.make(text, entry.type, "cpu")
        return Made(made.model.to("meta"), made.bound)

    def _inputs(
        self, meta: Made, constructor: Constructor, override: Override, usages: list[Usage]
    ) -> Iterator[Inputs]:
        if override.inputs is not None:
            try:
                yield overrides.parse_inputs(override.inputs)
            except SyntaxError as error:
                raise self._wrong(override.inputs, "inputs", error) from None
            return
        called = [usage for usage in usages if usage.called]
        called.sort(key=lambda usage: usage.constructor != constructor.text)
        for usage in called:
            yield Inputs(usage.args, usage.kwargs, usage.source, usage.batch)
        yield from InputFinder(self.torch, meta.model, known_values(meta.bound)).candidates()

    def _tried_on_meta(self, entry: ModelClass, text: str, meta: Made, inputs: Inputs) -> Made:
        lazy = self.torch.nn.parameter.UninitializedTensorMixin
        if any(isinstance(p, lazy) for p in meta.model.parameters()):
            meta = Made(self._meta_model(entry, text).model, meta.bound)
        try:
            self.trial.on_meta(meta.model, inputs, max(_SMALL_BATCH, inputs.batch or 1))
        except FAILURES as error:
            if not self.trial.is_uncertain(error):
                raise
        return meta

    def _tried_for_real(
        self, entry: ModelClass, constructor: Constructor, inputs: Inputs
    ) -> _Candidate:
        """Made anew and trained one step. What fails on the GPU is tried on the CPU."""
        batches = list(dict.fromkeys([max(_SMALL_BATCH, inputs.batch or 1), inputs.batch or 1]))
        attempts = [(self.device, batch) for batch in batches]
        if self.device != "cpu":
            attempts += [("cpu", batch) for batch in batches]
        first: BaseException | None = None
        for device, batch in attempts:
            try:
                self.torch.manual_seed(0)
                made = self.trial.make(constructor.text, entry.type, "cpu")
                made.model.to(device).train()
                args, kwargs = self.trial.arguments(inputs, batch, device)
                self.trial.step(made.model, args, kwargs)
                step = self.trial.step(made.model, args, kwargs)  # the first one warms up
            except FAILURES as error:
                first = first or error
                continue
            self.device = device
            words = constructor.source
            if inputs.source != words:
                words = f"{words}; inputs: {inputs.source}"
            return _Candidate(constructor.text, inputs, words, made, args, kwargs, batch, step)
        assert first is not None
        raise first

    # -- what to say ---------------------------------------------------------------------------

    def _wrong(self, written: Written, key: str, error: BaseException) -> NotFound:
        text = f"`{key}={written.text}` ({written.place}) raised {_words(error)}."
        return NotFound(text, written.line, wrong=True)

    def _not_found(self, entry: ModelClass, problems: list[tuple[int, str]]) -> NotFound:
        """The furthest that was reached, and what to write down."""
        if not problems:
            problems = [(1, f"{entry.name} could not be made within {_TOTAL_S:g} s")]
        # The first problem of those that came furthest is about the most trusted constructor; but
        # an argument that cannot be guessed is the reason, whatever was written elsewhere.
        stages = {stage for stage, _ in problems}
        stage = 3 if 3 in stages else min(stages)
        text = next(text for reached, text in problems if reached == stage)
        if stage == 3:
            advice = "# stepscope: inputs=..."
        else:
            advice = f"# stepscope: model={entry.name}(...)"
        text = text[:1].upper() + text[1:] if stage == 3 else text
        return NotFound(f"{text}; write `{advice}` above the class.", entry.line)


def _words(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    first = lines[0][:200] if lines else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
