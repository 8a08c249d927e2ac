import tseslint from 'typescript-eslint';
import reactHooks from 'eslint-plugin-react-hooks';
import { importTable } from './tools/eslint/import-table.js';

export default tseslint.config(
  { ignores: ['node_modules', '.whetstone', '.vite', 'dist', 'native', 'demo/build', '**/golden/**'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { whetstone: { rules: { 'import-table': importTable } } },
    rules: {
      'whetstone/import-table': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'export by name' },
        { selector: 'TSEnumDeclaration', message: 'Node runs these files as they are: use a union of literals' },
      ],
    },
  },
  { files: ['renderer/**/*.tsx', 'renderer/**/*.ts'], extends: [reactHooks.configs.flat.recommended] },
  { files: ['*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // Fixtures are read loosely in tests; what is asserted is typed by the assertion.
    files: ['**/*.test.ts', '**/*.test.tsx'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);
