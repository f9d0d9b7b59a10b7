import { describe, expect, it } from 'vitest';
import { showStatus, type Status, type StatusWords } from '../../extension/src/status/model';

const words: StatusWords = {
  starting: 'starting',
  ready: 'ready',
  restarting: 'restarting',
  crashed: 'crashed',
  off: (why) => `off: ${why}`,
  lastRun: (file, step, time) => `${file} ${step} ${time}`,
  failedRun: (file, time) => `${file} failed ${time}`,
  never: 'never',
  launch: (name) => `with ${name}`,
  time: (at) => `at ${at}`,
};

const shown = (changes: Partial<Status>) =>
  showStatus(
    {
      server: { kind: 'ready' },
      running: undefined,
      last: undefined,
      launch: undefined,
      ...changes,
    },
    words,
  );

describe('the status item', () => {
  it('says the step of the last run', () => {
    const last = { file: 'a.py', step: '12.3 ms', at: 7 };
    expect(shown({ last })).toEqual({
      text: '$(flame) 12.3 ms',
      tooltip: ['Stepscope: ready', 'a.py 12.3 ms at 7'],
      background: 'none',
    });
  });

  it('shows no figure of a run that failed', () => {
    const { text, tooltip } = shown({ last: { file: 'a.py', step: undefined, at: 7 } });
    expect(text).toBe('$(flame) Stepscope');
    expect(tooltip).toContain('a.py failed at 7');
  });

  it('says the phase while something runs, and how the file is run', () => {
    const running = { title: 'Profiling a.py', phase: 'warming up' };
    expect(shown({ running, launch: 'small' })).toEqual({
      text: '$(loading~spin) warming up',
      tooltip: ['Stepscope: ready', 'Profiling a.py: warming up', 'with small'],
      background: 'none',
    });
  });

  it('shows whether there is a server, above all else', () => {
    const last = { file: 'a.py', step: '12.3 ms', at: 7 };
    expect(shown({ server: { kind: 'starting' }, last }).text).toBe('$(loading~spin) Stepscope');
    expect(shown({ server: { kind: 'restarting' }, last }).text).toBe('$(loading~spin) Stepscope');
    expect(shown({ server: { kind: 'crashed' }, last }).background).toBe('error');
    const off = shown({ server: { kind: 'off', why: 'not trusted' }, last });
    expect(off.background).toBe('warning');
    expect(off.tooltip[0]).toBe('Stepscope: off: not trusted');
  });
});
