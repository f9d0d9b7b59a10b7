import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/extension/**/*.test.ts', 'tests/scripts/**/*.test.mjs'],
    // Only modules without VS Code in them are tested here; the rest is driven in a real one.
    environment: 'node',
  },
});
