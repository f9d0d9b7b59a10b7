import { describe, expect, it } from 'vitest';
import { debugInfo, withoutHome } from '../../extension/src/debugInfo';

const info = (changes: Partial<Parameters<typeof debugInfo>[0]> = {}) =>
  debugInfo({
    versions: { Python: '3.11 (/home/me/env/bin/python)', PyTorch: '2.13' },
    server: 'ready',
    lastRun: 'never',
    settings: {},
    errors: [],
    home: '/home/me',
    ...changes,
  });

describe('debug information', () => {
  it('has versions, without the name of the person', () => {
    expect(info()).toContain('- Python: 3.11 (~/env/bin/python)');
    expect(info()).not.toContain('/home/me');
  });

  it('has no values of settings that may be secrets', () => {
    const settings = {
      env: { TOKEN: 'hunter2' },
      args: ['--key', 'hunter2'],
      cwd: '/hunter2',
      modelInputs: { hunter2: {} },
      'trace.sourceMap': { '/hunter2': '/x' },
      interpreter: ['/home/me/python'],
      steps: 5,
    };
    const text = info({ settings });
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('TOKEN');
    expect(text).toContain('- `stepscope.args`: set (2, not shown)');
    expect(text).toContain('- `stepscope.interpreter`: `["~/python"]`');
    expect(text).toContain('- `stepscope.steps`: `5`');
  });

  it('fences the errors so that they stay text', () => {
    const text = info({ errors: ['error: ```\n# no heading', 'x'.repeat(5000)] });
    expect(text).toMatch(/````text\nerror: ```\n# no heading\nx{1000}\n````/);
  });

  it('knows the home folder in every spelling', () => {
    const home = 'C:\\Users\\My Name';
    const text = `${home}\\a C:/Users/My Name/b C:/Users/My%20Name/c ${JSON.stringify(home)}`;
    expect(withoutHome(text, home)).toBe('~\\a ~/b ~/c "~"');
    expect(withoutHome('/a', '/')).toBe('/a');
  });
});
