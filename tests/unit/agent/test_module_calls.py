"""Outermost calls are heard, those below are not, and everything is given back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from stepscope.agent.module_calls import ModuleCalls


class Torch:
    """As much of torch as there has to be: modules that call their parts."""

    def __init__(self) -> None:
        class Module:
            def __init__(self, *parts: Any) -> None:
                self.parts = parts

            def __call__(self) -> str:
                return type(self).__name__ + "".join(part() for part in self.parts)

        class Outer(Module): ...

        class Part(Module): ...

        class Derived(Outer): ...

        self.nn = SimpleNamespace(Module=Module)
        self.module, self.outer, self.part, self.derived = Module, Outer, Part, Derived
        self.original = vars(Module)["__call__"]


@pytest.fixture
def torch() -> Torch:
    return Torch()


def listen(torch: Torch) -> tuple[ModuleCalls, list[str]]:
    heard: list[str] = []
    return ModuleCalls(torch, lambda module, _: heard.append(type(module).__name__)), heard


def test_only_outermost_calls_are_heard(torch: Torch) -> None:
    _, heard = listen(torch)
    assert torch.outer(torch.part(), torch.outer())() == "OuterPartOuter"
    assert torch.part()() == "Part"
    assert heard == ["Outer", "Part"]


@pytest.mark.parametrize("nested", ["part", "outer", "derived"])
def test_narrowed_it_hears_the_same_of_the_same_classes(torch: Torch, nested: str) -> None:
    calls, heard = listen(torch)
    model = torch.outer(getattr(torch, nested)())
    model()
    torch.part()()  # also called by itself at times
    calls.narrow()
    assert vars(torch.module)["__call__"] is torch.original
    heard.clear()
    model()
    torch.part()()
    assert heard == ["Outer", "Part"]


def test_narrowed_it_leaves_other_classes_alone(torch: Torch) -> None:
    calls, heard = listen(torch)
    torch.outer()()
    calls.narrow()
    heard.clear()
    torch.part(torch.part())()
    assert heard == []
    assert "__call__" not in vars(torch.part)


def test_a_compiler_finds_the_class_as_it_always_does(torch: Torch) -> None:
    calls, _ = listen(torch)
    torch.outer()()
    assert torch.outer.__call__ is torch.original
    calls.narrow()
    assert torch.outer.__call__ is torch.original


@pytest.mark.parametrize("narrowed", [False, True])
def test_stopped_it_gives_everything_back_even_within_a_call(torch: Torch, narrowed: bool) -> None:
    calls, heard = listen(torch)
    torch.outer()()
    if narrowed:
        calls.narrow()

    class Stopping(torch.outer):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__(self.stop)

        def stop(self) -> str:
            calls.stop()
            return "!"

    assert Stopping()() == "Stopping!"
    heard.clear()
    torch.outer()()
    assert heard == []
    assert vars(torch.module)["__call__"] is torch.original
    assert "__call__" not in vars(torch.outer)


def test_an_error_passes_and_is_followed_by_more_hearing(torch: Torch) -> None:
    _, heard = listen(torch)

    def fail() -> str:
        raise ValueError("of the target")

    with pytest.raises(ValueError, match="of the target"):
        torch.outer(fail)()
    torch.outer()()
    assert heard == ["Outer"]


def test_a_class_with_a_call_of_its_own_keeps_it(torch: Torch) -> None:
    calls, heard = listen(torch)

    class Own(torch.module):  # type: ignore[name-defined, misc]
        def __call__(self) -> str:
            return f"own {super().__call__()}"

    own = vars(Own)["__call__"]
    assert Own()() == "own Own"
    calls.narrow()
    assert Own()() == "own Own"
    assert heard == ["Own", "Own"]
    assert vars(Own)["__call__"] is own
