"""Settings: taken at the start and whenever they change."""

from __future__ import annotations

from lsprotocol import types

from stepscope.editor import publishing
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.options import SECTION, parse_options


def register(server: StepscopeServer) -> None:
    """Listen for settings."""
    told: set[str] = set()
    waiting: list[str] = []

    def take(settings: object) -> list[str]:
        server.options, problems = parse_options(settings)
        new = [problem for problem in problems if problem not in told]
        told.update(new)
        return new

    def initialize(_: StepscopeServer, params: types.InitializeParams) -> None:
        waiting.extend(take(params.initialization_options))

    def initialized(server: StepscopeServer, _: types.InitializedParams) -> None:
        # Before this point a server must not send messages.
        _report(server, waiting)
        waiting.clear()

    async def changed(server: StepscopeServer, params: types.DidChangeConfigurationParams) -> None:
        settings = params.settings
        if not settings:
            settings = await _pull(server)
        _report(server, take(settings))
        publishing.publish(server, server.store.paths().values())
        server.refresh_views()

    server.add_feature(types.INITIALIZE, initialize)
    server.add_feature(types.INITIALIZED, initialized)
    server.add_feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION, changed)


async def _pull(server: StepscopeServer) -> object:
    """The settings of a client that only says *that* they changed."""
    workspace = server.client_capabilities.workspace
    if not (workspace and workspace.configuration):
        return {}
    item = types.ConfigurationItem(section=SECTION)
    (section,) = await server.workspace_configuration_async(types.ConfigurationParams(items=[item]))
    return {SECTION: section}


def _report(server: StepscopeServer, problems: list[str]) -> None:
    if problems:
        server.show("\n".join(problems), types.MessageType.Warning)
