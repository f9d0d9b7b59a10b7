import { describe, expect, it, vi } from 'vitest';
import { resolveServer, type ResolveInput } from '../../extension/src/resolve';

const input = (changes: Partial<ResolveInput> = {}): ResolveInput => ({
  trusted: true,
  setting: [],
  selected: () => Promise.resolve(undefined),
  fallback: 'python3',
  probe: ([executable]) =>
    Promise.resolve({ version: [3, 12], executable: `/full/${executable ?? ''}` }),
  launcher: '/ext/launch.py',
  ...changes,
});

const selected = () => Promise.resolve({ command: ['/env/python'], from: 'Python' });

describe('resolveServer', () => {
  it('falls back to the Python on the PATH, by its full path', async () => {
    expect(await resolveServer(input())).toEqual({
      kind: 'ready',
      command: ['/full/python3', '/ext/launch.py', 'serve'],
      interpreter: ['/full/python3'],
      version: [3, 12],
    });
  });

  it('prefers what is selected in VS Code, also to the setting', async () => {
    expect(await resolveServer(input({ setting: ['/set/python'], selected }))).toMatchObject({
      interpreter: ['/full//env/python'],
      version: [3, 12],
    });
  });

  it('takes the setting where no Python extension has a selection', async () => {
    expect(await resolveServer(input({ setting: ['/set/python'] }))).toMatchObject({
      interpreter: ['/full//set/python'],
      version: [3, 12],
    });
  });

  it('keeps a command that has arguments as it is', async () => {
    const setting = ['conda', 'run', '-n', 'env', 'python'];
    expect(await resolveServer(input({ setting }))).toEqual({
      kind: 'ready',
      command: [...setting, '/ext/launch.py', 'serve'],
      interpreter: setting,
      version: [3, 12],
    });
  });

  it('starts nothing in a workspace that is not trusted', async () => {
    const probe = vi.fn(input().probe);
    expect(await resolveServer(input({ trusted: false, probe }))).toEqual({ kind: 'untrusted' });
    expect(probe).not.toHaveBeenCalled();
  });

  it.each<[[number, number], boolean]>([
    [[2, 7], false],
    [[3, 9], false],
    [[3, 10], true],
    [[4, 0], true],
  ])('Python %s: usable is %s', async (version, usable) => {
    const probe = () => Promise.resolve({ version, executable: '/p' });
    const resolution = await resolveServer(input({ probe }));
    expect(resolution.kind).toBe(usable ? 'ready' : 'unusable');
    if (resolution.kind === 'unusable') {
      expect(resolution.message).toBe(
        `Stepscope needs Python 3.10 or newer; "python3" (from the PATH) is ${version.join('.')}.`,
      );
    }
  });

  it('says which command does not start, and who named it', async () => {
    const probe = () => Promise.reject(new Error('ENOENT'));
    expect(await resolveServer(input({ setting: ['/no/such'], probe }))).toEqual({
      kind: 'unusable',
      message:
        'Stepscope cannot start Python as "/no/such" (from the setting stepscope.interpreter).',
    });
  });
});
