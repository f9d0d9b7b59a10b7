import { describe, expect, it } from 'vitest';
import { readSettings } from '../../extension/src/settings';
import { expandVariables, type Variables } from '../../extension/src/variables';
import { manifest } from './manifest';

const variables: Variables = {
  workspaceFolder: '/work space',
  userHome: '/home/me',
  environment: { CONDA: '/opt/conda' },
};

const read = (values: Record<string, unknown>) =>
  readSettings({ get: (key) => values[key] }, variables);

const defaults = {
  interpreter: [],
  args: [],
  cwd: '',
  steps: null,
  timeout: 300,
  modelInputs: {},
  askAfter: 60,
  stepTimeout: 120,
  grace: 5,
  cpu: false,
  env: {},
  guard: true,
  processesPerNode: null,
  rules: { disable: [], severity: {} },
  inlayHints: { precision: 'full' },
  codeLens: { run: true, totals: true },
  heat: { enabled: true },
  trace: { sourceMap: {} },
};

describe('readSettings', () => {
  it('has the defaults of the manifest', () => {
    const declared = Object.entries(manifest.contributes.configuration.properties).map(
      ([key, property]) => [key.replace('stepscope.', ''), property.default] as const,
    );
    expect(read(Object.fromEntries(declared))).toEqual(defaults);
  });

  it('uses the defaults for values of the wrong type', () => {
    const wrong = {
      interpreter: '/usr/bin/python3',
      args: [1, 2],
      cwd: 3,
      steps: -1,
      timeout: 'long',
      modelInputs: ['Net(3)'],
      askAfter: 0,
      stepTimeout: -1,
      grace: null,
      cpu: 'yes',
      env: { A: 1 },
      guard: 'yes',
      processesPerNode: 'all',
      'rules.disable': 'all',
      'rules.severity': { autocast: 1 },
      'inlayHints.precision': 'all',
      'codeLens.totals': 'no',
      'heat.enabled': 1,
      'trace.sourceMap': { '/job': 1 },
    };
    expect(read(wrong)).toEqual(defaults);
  });

  it('passes on what is set', () => {
    const set = read({
      interpreter: ['${workspaceFolder}/.venv/bin/python', '-X', 'dev'],
      args: ['--data', '${userHome}/data'],
      cwd: '${workspaceFolder}/src',
      steps: 12,
      timeout: 2.5,
      modelInputs: { Net: { model: 'Net(3)', inputs: 'torch.randn(8, 3)' }, Other: 3 },
      askAfter: 20,
      stepTimeout: 30,
      grace: 1,
      cpu: true,
      env: { PYTHONPATH: '${workspaceFolder}/src', EMPTY: '' },
      guard: false,
      processesPerNode: 2,
      'rules.disable': ['slow-input'],
      'rules.severity': { autocast: 'hint' },
      'inlayHints.precision': 'share',
      'codeLens.run': false,
      'codeLens.totals': false,
      'heat.enabled': false,
      'trace.sourceMap': { '/job/src': '${workspaceFolder}' },
    });
    expect(set).toEqual({
      interpreter: ['/work space/.venv/bin/python', '-X', 'dev'],
      args: ['--data', '/home/me/data'],
      cwd: '/work space/src',
      steps: 12,
      timeout: 2.5,
      modelInputs: { Net: { model: 'Net(3)', inputs: 'torch.randn(8, 3)' } },
      askAfter: 20,
      stepTimeout: 30,
      grace: 1,
      cpu: true,
      env: { PYTHONPATH: '/work space/src', EMPTY: '' },
      guard: false,
      processesPerNode: 2,
      rules: { disable: ['slow-input'], severity: { autocast: 'hint' } },
      inlayHints: { precision: 'share' },
      codeLens: { run: false, totals: false },
      heat: { enabled: false },
      trace: { sourceMap: { '/job/src': '/work space' } },
    });
  });
});

describe('expandVariables', () => {
  it.each([
    ['${userHome}/a', '/home/me/a'],
    ['${env:CONDA}/bin/python', '/opt/conda/bin/python'],
    ['${env:NOT_SET}x', 'x'],
    ['${workspaceFolder}${workspaceFolder}', '/work space/work space'],
    ['${file}', '${file}'],
    ['plain $HOME', 'plain $HOME'],
  ])('%s', (text, expected) => {
    expect(expandVariables(text, variables)).toBe(expected);
  });

  it('leaves the workspace folder alone where there is none', () => {
    const none = { ...variables, workspaceFolder: undefined };
    expect(expandVariables('${workspaceFolder}/a', none)).toBe('${workspaceFolder}/a');
  });
});
