import { describe, expect, it, vi } from 'vitest';
import { PythonSelection } from '../../extension/src/python';

const ENVIRONMENTS = 'ms-python.vscode-python-envs';
const PYTHON = 'ms-python.python';

/** Extensions by id; each value is what activating it yields. */
function select(installed: Record<string, () => unknown>) {
  const warnings: string[] = [];
  const onDidChange = vi.fn();
  const selection = new PythonSelection(
    (id) => {
      const activate = installed[id];
      return activate && { activate: () => Promise.resolve().then(activate) };
    },
    onDidChange,
    (message) => warnings.push(message),
  );
  return { selection, onDidChange, warnings };
}

const environments = (executable: string | undefined, args?: string[]) => () => ({
  getEnvironment: () =>
    Promise.resolve(executable ? { execInfo: { run: { executable, args } } } : undefined),
  onDidChangeEnvironment: () => ({ dispose: () => undefined }),
});

const python = (fsPath: string | undefined, dispose = () => undefined) => {
  const listeners: (() => void)[] = [];
  const activate = () => ({
    environments: {
      getActiveEnvironmentPath: () => ({ path: 'id' }),
      resolveEnvironment: () => Promise.resolve({ executable: { uri: fsPath && { fsPath } } }),
      onDidChangeActiveEnvironmentPath: (listener: () => void) => {
        listeners.push(listener);
        return { dispose };
      },
    },
  });
  return { activate, listeners };
};

describe('PythonSelection', () => {
  it('knows nothing where neither extension is installed', async () => {
    const { selection, warnings } = select({});
    expect(await selection.selected(undefined)).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('asks Python Environments first', async () => {
    const { selection } = select({
      [ENVIRONMENTS]: environments('/envs/python', ['-X', 'dev']),
      [PYTHON]: python('/py/python').activate,
    });
    expect(await selection.selected(undefined)).toEqual({
      command: ['/envs/python', '-X', 'dev'],
      from: 'Python Environments',
    });
  });

  it('asks the Python extension where the first has nothing selected', async () => {
    const { selection } = select({
      [ENVIRONMENTS]: environments(undefined),
      [PYTHON]: python('/py/python').activate,
    });
    expect(await selection.selected(undefined)).toEqual({
      command: ['/py/python'],
      from: 'Python',
    });
  });

  it('passes over one that is switched off (it exports nothing)', async () => {
    const { selection, warnings } = select({
      [ENVIRONMENTS]: () => undefined,
      [PYTHON]: python('/py/python').activate,
    });
    expect(await selection.selected(undefined)).toMatchObject({ command: ['/py/python'] });
    expect(warnings).toEqual([]);
  });

  it('passes over one that does not start, and says so', async () => {
    const { selection, warnings } = select({
      [ENVIRONMENTS]: () => {
        throw new Error('broken');
      },
      [PYTHON]: python('/py/python').activate,
    });
    expect(await selection.selected(undefined)).toMatchObject({ command: ['/py/python'] });
    expect(warnings).toEqual([`${ENVIRONMENTS} did not start: Error: broken`]);
  });

  it('does not wait for ever for one that never answers', async () => {
    vi.useFakeTimers();
    try {
      const { selection, warnings } = select({
        [ENVIRONMENTS]: () => new Promise(() => undefined),
        [PYTHON]: python('/py/python').activate,
      });
      const selected = selection.selected(undefined);
      await vi.advanceTimersByTimeAsync(20_000);
      expect(await selected).toMatchObject({ command: ['/py/python'] });
      expect(warnings).toEqual([`${ENVIRONMENTS} did not start: Error: no answer within 20 s`]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('has nothing selected where the environment has no executable', async () => {
    const { selection } = select({ [PYTHON]: python(undefined).activate });
    expect(await selection.selected(undefined)).toBeUndefined();
  });

  it('listens once however often it is asked, and lets go', async () => {
    const dispose = vi.fn(() => undefined);
    const { activate, listeners } = python('/py/python', dispose);
    const { selection, onDidChange } = select({ [PYTHON]: activate });
    await selection.selected(undefined);
    await selection.selected(undefined);
    expect(listeners).toHaveLength(1);
    listeners[0]?.();
    expect(onDidChange).toHaveBeenCalledOnce();
    selection.dispose();
    expect(dispose).toHaveBeenCalledOnce();
  });
});
