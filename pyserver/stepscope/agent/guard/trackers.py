"""Experiment trackers and model hubs: offline while a run is profiled, and said so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from ..standing_for import standing_for
from .following import follow

_PUSHES = (
    "create_branch", "create_collection", "create_commit", "create_commits_on_pr",
    "create_discussion", "create_pull_request", "create_repo", "create_tag", "delete_branch",
    "delete_file", "delete_files", "delete_folder", "delete_repo", "delete_tag", "duplicate_space",
    "move_repo", "preupload_lfs_files", "super_squash_history", "update_repo_settings",
    "update_repo_visibility", "upload_file", "upload_folder", "upload_large_folder",
)  # fmt: skip


def install(private: str, note: Callable[[str], None]) -> None:
    """Set what trackers read from the environment; override what the target's arguments say."""
    folder = os.path.join(private, "trackers")
    os.makedirs(folder, exist_ok=True)
    os.environ.update(_environment(folder))
    off = _Notes(note)
    offline = {"mode": "offline"}
    runs = ["init_run", "init_model", "init_model_version"]
    follow("wandb", lambda module: _force(module, ["init"], offline, off), note)
    follow("swanlab", lambda module: _force(module, ["init"], offline, off), note)
    follow("neptune", lambda module: _force(module, runs, offline, off), note)
    follow("mlflow", lambda module: _mlflow(module, off), note)
    follow("comet_ml", lambda module: _comet(module, off), note)
    follow("clearml", lambda module: _clearml(module, off), note)
    follow("huggingface_hub.hf_api", lambda module: _hub(module, off), note)


class _Notes:
    """One sentence for each service, at its first use."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._said: set[str] = set()

    def offline(self, name: str) -> None:
        """The tracker would have reported to its service."""
        self._say(name, f"{name} was kept offline during this run.")

    def pushed(self, name: str) -> None:
        """Something would have been changed on a hub."""
        self._say(name, f"Nothing was pushed to {name} during this run; its calls did nothing.")

    def _say(self, name: str, sentence: str) -> None:
        if name not in self._said:
            self._said.add(name)
            self._note(sentence)


def _environment(folder: str) -> dict[str, str]:
    store = f"file:{folder}/mlruns" if os.name == "posix" else f"file:///{folder}/mlruns"
    return {
        "WANDB_MODE": "disabled" if os.environ.get("WANDB_MODE") == "disabled" else "offline",
        "WANDB_DIR": folder,
        "MLFLOW_TRACKING_URI": store,
        "MLFLOW_REGISTRY_URI": store,
        "NEPTUNE_MODE": "offline",
        "COMET_START_ONLINE": "0",
        "COMET_OFFLINE_DIRECTORY": folder,
        "CLEARML_OFFLINE_MODE": "1",
        "SWANLAB_MODE": "offline",
        "SWANLAB_LOG_DIR": folder,
    }


def _force(
    module: ModuleType, names: Iterable[str], arguments: dict[str, Any], off: _Notes
) -> None:
    """Call the module's functions with these arguments, unless the target turned them off."""
    for name in names:
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _forced(original, arguments, module.__name__, off))


def _forced(original: Any, arguments: dict[str, Any], name: str, off: _Notes) -> Callable[..., Any]:
    @standing_for(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("mode") == "disabled":
            return original(*args, **kwargs)
        off.offline(name)
        return original(*args, **{**kwargs, **arguments})

    return call


def _mlflow(module: Any, off: _Notes) -> None:
    """A tracking server, or a folder of the person's own, stays as it is."""
    for name in ("set_tracking_uri", "set_registry_uri"):
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _said_only(original, lambda: off.offline("mlflow"), None))
    for name in ("start_run", "autolog", "set_experiment"):
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _said_first(original, lambda: off.offline("mlflow")))


def _comet(module: Any, off: _Notes) -> None:
    offline = getattr(module, "OfflineExperiment", None)
    if offline is not None and hasattr(module, "Experiment"):
        module.Experiment = _said_first(offline, lambda: off.offline("comet_ml"))
    if hasattr(module, "start"):
        _force(module, ["start"], {"online": False}, off)


def _clearml(module: Any, off: _Notes) -> None:
    task = getattr(module, "Task", None)
    if task is None:
        return
    if hasattr(task, "set_offline"):
        task.set_offline(True)
        task.set_offline = staticmethod(_said_only(task.set_offline, lambda: None, None))
    if hasattr(task, "init"):
        task.init = staticmethod(_said_first(task.init, lambda: off.offline("clearml")))


def _hub(module: Any, off: _Notes) -> None:
    """Downloads go on; what would change something there does nothing."""

    def say() -> None:
        off.pushed("the Hugging Face Hub")

    for name in _PUSHES:
        for holder in (getattr(module, "HfApi", None), module):
            original = getattr(holder, name, None)
            if original is not None:
                setattr(holder, name, _said_only(original, say, name))


def _said_first(original: Any, say: Callable[[], None]) -> Callable[..., Any]:
    @standing_for(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        say()
        return original(*args, **kwargs)

    return call


def _said_only(original: Any, say: Callable[[], None], name: str | None) -> Callable[..., Any]:
    @standing_for(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        say()
        if name is None:
            return None
        return Pushed(str(kwargs.get("repo_id") or next((a for a in args if _is_name(a)), "")))

    return call


def _is_name(value: object) -> bool:
    return isinstance(value, str)


class Pushed(str):
    """What a push returns that was not made: the repository's name, whatever is asked of it."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Pushed:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_args: Any, **_kwargs: Any) -> Pushed:
        """It can be asked for a result as a future can."""
        return self
