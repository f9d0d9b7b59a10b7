/** What this client can do beside the protocol; the server offers nothing that it cannot. */
import type { StaticFeature } from 'vscode-languageclient/node';
import { commandIds } from './contributions';

export const abilitiesFeature: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const before = capabilities.experimental as object | undefined;
    capabilities.experimental = {
      ...before,
      stepscope: {
        enterArguments: true,
        heat: true,
        output: true,
        saveFiles: true,
        // What a link in a hover and a lens may run.
        commands: Object.values(commandIds),
      },
    };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};
