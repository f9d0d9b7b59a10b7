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
    ignores: ['.venv*/**', 'build/**', 'dist/**', 'node_modules/**', 'extension/src/generated/**'],
  },
  {
    files: ['extension/**/*.ts', 'tests/extension/**/*.ts'],
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
    files: ['**/*.mjs'],
    extends: [tseslint.configs.strict],
    rules: common,
  },
);
