import { describe, expect, it } from 'vitest';
import { isPythonLaunch, resolveConfiguration } from '../../extension/src/launch/configuration';
import { parseEnvFile } from '../../extension/src/launch/envFile';
import { describeChoice, merge } from '../../extension/src/launch/launch';
import type { Variables } from '../../extension/src/variables';

const variables: Variables = {
  workspaceFolder: '/w',
  userHome: '/home/me',
  environment: { SIZE: '8' },
  folders: { other: '/elsewhere' },
  file: '/w/sub/train.py',
};

const resolve = (raw: Record<string, unknown>, files: Record<string, string> = {}) =>
  resolveConfiguration(
    { type: 'debugpy', request: 'launch', name: 'Train', program: '${file}', ...raw },
    variables,
    (file) => files[file],
    'linux',
  );

describe('which configurations are offered', () => {
  it('those that start a Python program', () => {
    expect(isPythonLaunch({ type: 'debugpy', request: 'launch', name: 'a' })).toBe(true);
    expect(isPythonLaunch({ type: 'python', name: 'a' })).toBe(true);
    expect(isPythonLaunch({ type: 'debugpy', request: 'attach', name: 'a' })).toBe(false);
    expect(isPythonLaunch({ type: 'node', request: 'launch', name: 'a' })).toBe(false);
    expect(isPythonLaunch({ type: 'debugpy' })).toBe(false);
  });
});

describe('a configuration', () => {
  it('becomes parameters, with its variables replaced', () => {
    const { launch, obstacles, ignored } = resolve({
      args: ['--batch', '${env:SIZE}', '${workspaceFolder:other}/data', '${relativeFile}'],
      env: { A: '${fileDirname}', B: 'b' },
      cwd: '${fileDirname}',
      python: '${userHome}/env/bin/python',
    });
    expect(launch).toEqual({
      program: '/w/sub/train.py',
      args: ['--batch', '8', '/elsewhere/data', 'sub/train.py'],
      env: { A: '/w/sub', B: 'b' },
      cwd: '/w/sub',
      python: '/home/me/env/bin/python',
    });
    expect([...obstacles, ...ignored]).toEqual([]);
  });

  it('may give its arguments as one text, or have them asked for', () => {
    expect(resolve({ args: '--name "a b"' }).launch.args).toEqual(['--name', 'a b']);
    expect(resolve({ args: '${command:pickArgs}' }).launch).toEqual({
      program: '/w/sub/train.py',
      enterArguments: true,
    });
    expect(resolve({ args: '"open' }).obstacles).toHaveLength(1);
    expect(resolve({ args: [1] }).obstacles).toHaveLength(1);
  });

  it('takes paths from the folder, and the selected interpreter from the settings', () => {
    const { launch } = resolve({
      program: 'main.py',
      cwd: 'run',
      python: '${command:python.interpreterPath}',
    });
    expect(launch).toEqual({ program: '/w/main.py', cwd: '/w/run' });
  });

  it('names what it cannot do', () => {
    expect(resolve({ program: undefined, module: 'pkg.train' }).obstacles).toEqual([
      'module: Stepscope runs files; name the file of pkg.train as program.',
    ]);
    expect(resolve({ program: undefined }).obstacles).toEqual([
      'program is missing, so there is no file to run.',
    ]);
    expect(resolve({ args: ['${input:size}'], cwd: '${command:x}' }).obstacles).toEqual([
      'cwd has ${command:x}, which only the debugger can ask for.',
      'args has ${input:size}, which only the debugger can ask for.',
    ]);
    expect(resolve({ python: ['conda', 'run', 'python'] }).obstacles).toEqual([
      'python must be one program: the path of an interpreter.',
    ]);
    expect(resolve({ preLaunchTask: 'build', justMyCode: false }).ignored).toEqual([
      'preLaunchTask is not used when a file is profiled.',
    ]);
  });

  it('reads an envFile below its env, and says when it cannot', () => {
    const files = { '/w/.env': 'A=file\nC=c' };
    expect(
      resolve({ envFile: '${workspaceFolder}/.env', env: { A: 'own' } }, files).launch.env,
    ).toEqual({ A: 'own', C: 'c' });
    expect(resolve({ envFile: 'none' }).ignored).toEqual(['envFile: none cannot be read.']);
  });

  it('of this system counts above the others', () => {
    expect(
      resolve({ args: ['a'], linux: { args: ['b'] }, osx: { args: ['c'] } }).launch.args,
    ).toEqual(['b']);
  });
});

describe('a file of variables', () => {
  it('is read as dotenv does', () => {
    const text =
      '\uFEFF# note\nexport A=1\nB = two words # note\nC="x\\n\\"y\\" # z"\nD=\'$A\'\n=no\nno';
    expect(parseEnvFile(text)).toEqual({
      A: '1',
      B: 'two words',
      C: 'x\n"y" # z',
      D: '$A',
    });
  });
});

describe('what was chosen', () => {
  it('is named without the values of variables', () => {
    const changes = { args: ['--lr', '0.1'], env: { TOKEN: 'secret' }, steps: 5 };
    const configuration = { name: 'Train small', folder: 'file:///w' };
    const text = describeChoice({ configuration, changes });
    expect(text).toBe('Train small, --lr 0.1, env TOKEN, steps 5');
    expect(text).not.toContain('secret');
    expect(describeChoice({ changes: { args: [] } })).toBe('no arguments');
  });

  it('counts above the configuration, variable by variable', () => {
    expect(
      merge(
        { enterArguments: true, env: { A: '1', B: '2' }, cwd: '/a' },
        { args: [], env: { B: '3' } },
      ),
    ).toEqual({ enterArguments: false, args: [], env: { A: '1', B: '3' }, cwd: '/a' });
  });
});
