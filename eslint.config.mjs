import tseslint from 'typescript-eslint';

/** Rules for every file; the type-aware ones only where there are types. */
const common = {
  eqeqeq: 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'object-shorthand': 'error',
};

export default tseslint.config(
  {
    ignores: [
      '.venv*/**',
      'build/**',
      'dist/**',
      'node_modules/**',
      'extension/src/generated/**',
      'pyserver/**',
    ],
  },
  {
    files: ['extension/**/*.{ts,tsx}', 'tests/extension/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      ...common,
      // Messages for a person go through `window`, the rest through the log channel.
      'no-console': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    // Handlers of events are mostly one call each.
    files: ['extension/src/webview/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.strict],
    rules: common,
  },
);
