// How tests that run targets are shared out among processes.

/**
 * A test file stays in one process, since its tests share runs of targets. Three for two cores: now
 * and then one only waits. tests/agent/conftest.py says which files come first.
 */
export const BY_FILE = ['-n', '3', '--dist', 'loadfile', '--no-loadscope-reorder'];
