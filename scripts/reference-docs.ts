// Writes the generated pages of docs/reference from the sources; --check only lists outdated pages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage } from '../src/cli/help.ts';
import { apiPage } from './docs/api-page.ts';
import { errorsPage } from './docs/errors-page.ts';
import { helmValuesPage } from './docs/helm-values-page.ts';
import { modulePages } from './docs/module-pages.ts';
import { rolesPage } from './docs/roles-page.ts';

const root = join(import.meta.dirname, '..');
const pages: Readonly<Record<string, string>> = {
  'docs/reference/api.md': await apiPage(),
  'docs/reference/commands.md': commandsPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/roles.md': rolesPage(),
  'docs/reference/helm-values.md': helmValuesPage(
    readFileSync(join(root, 'deploy/helm/weir/values.yaml'), 'utf8'),
  ),
  ...modulePages(join(root, 'docs/reference/modules'), 'docs/reference/modules'),
};
const outdated = Object.entries(pages).filter(([file, text]) => {
  const path = join(root, file);
  return !existsSync(path) || readFileSync(path, 'utf8') !== text;
});

if (process.argv.includes('--check')) {
  for (const [file] of outdated) console.error(`${file} is out of date: npm run docs`);
  process.exitCode = outdated.length > 0 ? 1 : 0;
} else for (const [file, text] of outdated) writeFileSync(join(root, file), text);
