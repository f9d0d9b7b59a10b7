import { describe, expect, it } from 'vitest';
import {
  commandIds,
  reportViewType,
  restrictedSettings,
  serverCommandIds,
  settingKeys,
  settingsSection,
} from '../../extension/src/contributions';
import { manifest, readText, texts } from './manifest';

const { contributes } = manifest;
const full = (key: string) => `${settingsSection}.${key}`;
const sorted = (values: Iterable<string>) => [...values].sort();

describe('the manifest and the code agree', () => {
  it('on the commands', () => {
    const declared = contributes.commands.map(({ command }) => command);
    expect(sorted(declared)).toEqual(sorted(Object.values(commandIds)));
  });

  it('on the settings', () => {
    const declared = Object.keys(contributes.configuration.properties);
    expect(sorted(declared)).toEqual(sorted(Object.values(settingKeys).map(full)));
  });

  it('on what an untrusted workspace may not set', () => {
    const declared = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    expect(sorted(declared)).toEqual(sorted(restrictedSettings.map(full)));
  });

  it('that menus only name declared commands', () => {
    const declared = new Set<string>(Object.values(commandIds));
    const named = Object.values(contributes.menus).flat();
    expect(named.length).toBeGreaterThan(0);
    for (const { command } of named) expect(declared).toContain(command);
  });
});

describe('in a workspace that is not trusted', () => {
  it('what needs the server is off, but for the commands that say why', () => {
    const off = contributes.commands
      .filter(({ enablement }) => enablement === 'isWorkspaceTrusted')
      .map(({ command }) => command);
    expect(sorted(off)).toEqual(
      sorted([
        commandIds.openTrace,
        commandIds.openTraceFolder,
        commandIds.cancelProfile,
        commandIds.clearResults,
        commandIds.restartServer,
      ]),
    );
  });
});

describe('the menu of the explorer', () => {
  const entry = (id: string) =>
    contributes.menus['explorer/context']?.find(({ command }) => command === id)?.when ?? '';

  it('opens files that may be recordings, and no others', () => {
    const when = entry(commandIds.openTrace);
    expect(when).toContain('!explorerResourceIsFolder');
    const [, pattern = ''] = /resourceFilename =~ \/(.*?)\/ &&/.exec(when) ?? [];
    const names = ['t.json', 'rank0.pt.trace.json.gz', 'memory.pickle', 'train.py', 't.gz', 'json'];
    expect(names.filter((name) => new RegExp(pattern).test(name))).toEqual(names.slice(0, 3));
  });

  it('opens folders of ranks', () => {
    expect(entry(commandIds.openTraceFolder)).toMatch(/^explorerResourceIsFolder/);
  });

  it('is there in a remote window too', () => {
    for (const id of [commandIds.openTrace, commandIds.openTraceFolder]) {
      expect(entry(id)).toContain('resourceScheme =~ /^(file|vscode-remote)$/');
    }
  });
});

describe('the manifest', () => {
  it('gives every command a title without the name of the product, and the category', () => {
    for (const { title, category } of contributes.commands) {
      const key = title.replaceAll('%', '');
      expect(texts[key], title).toBeDefined();
      expect(texts[key]).not.toContain('Stepscope');
      expect(category).toBe('Stepscope');
    }
  });

  it('uses every text, and has a text for every use', () => {
    const used = readText('package.json').matchAll(/"%([^%"]+)%"/g);
    expect(sorted(new Set([...used].map(([, key]) => key ?? '')))).toEqual(
      sorted(Object.keys(texts)),
    );
  });

  it('starts with Python files only, and with a window that showed a report', () => {
    expect(manifest.activationEvents).toEqual([
      'onLanguage:python',
      `onWebviewPanel:${reportViewType}`,
    ]);
  });

  it('pins every package exactly, and ships none', () => {
    expect(manifest.dependencies).toBeUndefined();
    for (const version of Object.values(manifest.devDependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it('asks for the VS Code whose interface the code is compiled against', () => {
    const compiled = manifest.devDependencies['@types/vscode'];
    expect(manifest.engines.vscode).toBe(`^${compiled ?? ''}`);
  });

  it('has the version of the Python package', () => {
    const version = /__version__ = "(.*)"/.exec(readText('pyserver/stepscope/__init__.py'))?.[1];
    expect(manifest.version).toBe(version);
  });
});

describe('the ids that the server registers', () => {
  it('are not those of the palette, which VS Code would register twice', () => {
    const palette = new Set<string>(Object.values(commandIds));
    for (const id of Object.values(serverCommandIds)) expect(palette).not.toContain(id);
  });
});
