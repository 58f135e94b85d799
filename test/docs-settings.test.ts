import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { settingVariables } from '../src/gateway/settings.ts';
import { builtInProviders } from '../src/providers/index.ts';
import { root, textOf } from './support/documents.ts';

const page = textOf('docs/reference/settings.md');

/** The variables in the first column of the tables. */
const documented = new Set(
  [...page.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(variable())]).map(nameIn),
);

test('docs/reference/settings.md has a row for every setting', () => {
  const keys = builtInProviders
    .filter(({ keyless }) => !keyless)
    .map(({ name }) => forProvider('*_API_KEY', name));
  const all = [...settingVariables.map((name) => name.replace('*', '<NAME>')), ...keys];
  assert.ok(all.length > 70);
  assert.deepEqual(
    all.filter((name) => !documented.has(name)),
    [],
  );
});

test('every variable in docs/reference/settings.md is a setting', () => {
  const providers = ['<NAME>', ...builtInProviders.map(({ name }) => name)];
  const settings = new Set(
    settingVariables.flatMap((name) => providers.map((provider) => forProvider(name, provider))),
  );
  const inText = [...page.matchAll(variable())].map(nameIn).filter((name) => name.startsWith('WEIR_'));
  assert.deepEqual(
    [...documented, ...inText].filter((name) => !settings.has(name) && !isOfModule(name)),
    [],
  );
});

/** Modules in packages read variables of their own; the page names one of an example. */
function isOfModule(name: string): boolean {
  const examples = globSync('module-*', { cwd: `${root}/examples` }).map((folder) =>
    folder.slice(7).toUpperCase(),
  );
  return ['<MODULE>', ...examples].some((module) => name.startsWith(`WEIR_${module}_`));
}

function forProvider(pattern: string, provider: string): string {
  return pattern.replace('*', provider.toUpperCase());
}

/** The name at the start of a piece of code, such as `WEIR_LOG_DAYS=0`. */
function variable(): RegExp {
  return /`((?:[A-Z][A-Z0-9]*|<[A-Z]+>)(?:_(?:[A-Z0-9…]+|<[A-Z]+>))*|[a-z]+_proxy)(?:=[^`]*)?`/g;
}

function nameIn([, name = '']: RegExpMatchArray): string {
  return name;
}
