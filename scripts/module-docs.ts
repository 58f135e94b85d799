// Writes a page for each module under docs/modules, docs/commands.md and docs/errors.md from the sources; --check only lists outdated pages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage } from '../src/cli/help.ts';
import type { Module, ModuleHost } from '../src/kernel/module.ts';
import { systemClock } from '../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../src/lib/json.ts';
import { builtInModules } from '../src/modules/index.ts';
import { errorsPage } from './docs/errors-page.ts';

const folder = join(import.meta.dirname, '..', 'docs', 'modules');
const host: ModuleHost = {
  clock: systemClock,
  log: { info() {}, error() {} },
  settings: () => ({}),
  every() {},
};
const modules = builtInModules.map((make) => make(host));
const pages = [
  ...modules.map((module) => [`${module.name}.md`, page(module)] as const),
  ['README.md', overview(modules)] as const,
  ['../commands.md', commandsPage()] as const,
  ['../errors.md', errorsPage()] as const,
];
const outdated = pages.filter(
  ([file, text]) => !existsSync(join(folder, file)) || readFileSync(join(folder, file), 'utf8') !== text,
);

if (process.argv.includes('--check')) {
  for (const [file] of outdated) console.error(`${join('docs/modules', file)} is out of date: npm run docs`);
  process.exitCode = outdated.length > 0 ? 1 : 0;
} else for (const [file, text] of outdated) writeFileSync(join(folder, file), text);

function page(module: Module): string {
  const touches = module.touches.length === 0 ? 'nothing' : module.touches.join(', ');
  const facts = [
    `- Status: ${module.status}`,
    `- May change: ${touches}`,
    `- ${module.protective ? 'Protective: a request can’t remove it where the instance set it' : 'Not protective: a request may leave it out'}`,
    ...(module.position === 'innermost'
      ? ['- Set by a key or the instance, it runs next to the provider']
      : []),
    `- If it breaks: ${module.ifBroken === 'skip' ? 'the call goes on without it' : 'the call is refused'}`,
  ];
  return [`# ${module.name}`, module.summary, facts.join('\n'), '## Options', optionsTable(module)]
    .join('\n\n')
    .concat('\n', writtenBehind(module));
}

/** What people wrote on a page behind the options stays there. */
function writtenBehind({ name }: Module): string {
  const file = join(folder, `${name}.md`);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const start = text.indexOf('\n## ', text.indexOf('\n## Options') + 1);
  return start < 0 ? '' : text.slice(start);
}

function optionsTable(module: Module): string {
  const schema = module.options['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  const properties = isJsonObject(schema?.properties) ? Object.entries(schema.properties) : [];
  if (properties.length === 0) return 'It has none.';
  const rows = properties.map(([name, option]) => optionRow(name, isJsonObject(option) ? option : {}));
  return ['| option | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function optionRow(name: string, option: JsonObject): string {
  const standard = option.default === undefined ? 'none' : `\`${String(option.default)}\``;
  return `| \`${name}\` | ${standard} | ${String(option.description ?? '')} |`;
}

function overview(all: readonly Module[]): string {
  const rows = all.map(
    (module) => `| [${module.name}](${module.name}.md) | ${module.status} | ${module.summary} |`,
  );
  return `# Modules

| module | status | what it does |
|---|---|---|
${rows.join('\n')}

\`GET /v1/capabilities\` lists the modules of a running gateway, with those that are planned. How to write one:
[CONTRIBUTING](../../CONTRIBUTING.md#a-module).
`;
}
