import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';

const rooms = readdirSync(new URL('./src/features', import.meta.url));
/** Which room may use which; the others use none, and a route joins them. */
const ARROWS = { scanning: ['parts'], bench: ['scanning'], evaluations: ['batches'] };

const LEAVING_UPWARD = { group: ['../*'], message: 'Leave the folder through "@/".' };

/** Imports run app -> features -> components, hooks -> api -> lib, config; never the other way. */
const forbid = (files, layers, message) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [LEAVING_UPWARD, { group: layers.map((layer) => `@/${layer}/**`), message }] },
    ],
  },
});

/** A read that fails after one that did not still has its data, which `isSuccess` would take off the screen. */
const successOfQuery = {
  create: (context) => ({
    'MemberExpression[property.name="isSuccess"]': ({ object, property }) => {
      const type = context.sourceCode.parserServices.getTypeAtLocation(object);
      // A mutation, which has no data of before, has no such property.
      if (type.getProperty('dataUpdatedAt') === undefined) return;
      context.report({ node: property, message: 'Ask a query whether `data` is undefined.' });
    },
  }),
};

export default tseslint.config(
  { ignores: ['dist', 'test-results', 'playwright-report'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  reactHooks.configs.flat['recommended-latest'],
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/consistent-type-imports': 'error',
      // Numbers and booleans in a template are plain to read.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `onClick={() => setOpen(true)}` is how handlers are written.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // An event handler may start work whose outcome the mutation or the screen reports.
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'No barrel files: import from the module.' },
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
      ],
      'no-restricted-imports': ['error', { patterns: [LEAVING_UPWARD] }],
    },
  },
  forbid(
    ['src/api/**'],
    ['app', 'features', 'components', 'hooks'],
    'Lower layers know nothing of the screens.',
  ),
  forbid(
    ['src/{lib,config}/**'],
    ['app', 'features', 'components', 'hooks', 'api'],
    'Lower layers know nothing of the screens.',
  ),
  forbid(['src/{components,hooks}/**'], ['app', 'features'], 'Shared parts know no feature.'),
  ...rooms.map((room) =>
    forbid(
      [`src/features/${room}/**`],
      [
        'app',
        ...rooms
          .filter((other) => other !== room && !ARROWS[room]?.includes(other))
          .map((other) => `features/${other}`),
      ],
      'A room uses those that ARROWS names and never the app; a route joins them.',
    ),
  ),
  {
    files: ['src/**'],
    plugins: { partsight: { rules: { 'success-of-query': successOfQuery } } },
    rules: { 'partsight/success-of-query': 'error' },
  },
  {
    files: ['*.config.{js,ts}', 'vite.*.ts', 'scripts/**', 'e2e/**'],
    languageOptions: { globals: globals.node },
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // Playwright's fixtures take a parameter named `use`, which is not React's.
    files: ['e2e/**'],
    rules: {
      'react-hooks/rules-of-hooks': 'off',
      'no-empty-pattern': 'off',
      // A journey in the folder of its room takes its words from above.
      'no-restricted-imports': 'off',
    },
  },
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
);
