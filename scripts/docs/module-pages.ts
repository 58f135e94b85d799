import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedModules } from '../../src/gateway/described-modules.ts';
import type { Module } from '../../src/kernel/module.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';

/** A page for each module and an overview, by path below `prefix`. `folder` has the present pages. */
export function modulePages(folder: string, prefix: string): Readonly<Record<string, string>> {
  const modules = describedModules();
  const pages = modules.map((module) => {
    const file = join(folder, `${module.name}.md`);
    const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return [`${prefix}/${module.name}.md`, modulePage(module, present)];
  });
  return { ...Object.fromEntries(pages), [`${prefix}/README.md`]: overview(modules) };
}

/** Replaces the head of the present page and its section "Options"; the other sections are written by hand. */
function modulePage(module: Module, present: string): string {
  const [, ...sections] = present.split(/^(?=## )/m);
  const options = `## Options\n\n${optionsTable(module)}\n`;
  const isOptions = (section: string) => section.startsWith('## Options\n');
  const kept = sections.some(isOptions) ? sections : [options, ...sections];
  const parts = kept.map((section) => (isOptions(section) ? options : section).trim());
  return `${[head(module), ...parts].join('\n\n')}\n`;
}

function head(module: Module): string {
  const touches = module.touches.length === 0 ? 'nothing' : module.touches.join(', ');
  const facts = [
    `- Status: ${module.status}`,
    `- May change: ${touches}`,
    `- ${module.protective ? 'Protective: a request can’t remove it where the key or the instance set it' : 'Not protective: a request may leave it out'}`,
    ...(module.position === 'innermost'
      ? ['- Set by a key or the instance, it runs next to the provider']
      : []),
    `- If it breaks: ${module.ifBroken === 'skip' ? 'the call goes on without it' : 'the call is refused'}`,
  ];
  return `# ${module.name}\n\n${module.summary}\n\n${facts.join('\n')}`;
}

function optionsTable(module: Module): string {
  const schema = module.options['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  const properties = isJsonObject(schema?.properties) ? Object.entries(schema.properties) : [];
  if (properties.length === 0) return 'It has none.';
  const rows = properties.map(([name, option]) => optionRow(name, isJsonObject(option) ? option : {}));
  return ['| option | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function optionRow(name: string, option: JsonObject): string {
  const { default: value = '', description = '' } = option;
  const cells = [`\`${name}\``, value === '' ? 'none' : `\`${String(value)}\``, String(description)];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function overview(modules: readonly Module[]): string {
  const rows = modules.map(
    ({ name, status, summary }) => `| [${name}](${name}.md) | ${status} | ${summary} |`,
  );
  return `# Modules

A module may change a call, answer it, or refuse it. A pipeline lists the modules of a call.

| module | status | what it does |
|---|---|---|
${rows.join('\n')}

\`GET /v1/capabilities\` lists the modules of a running gateway, including planned ones. [CONTRIBUTING](../../../CONTRIBUTING.md#a-module)
says how to write one, and [\`WEIR_MODULES\`](../settings.md#modules-and-prices) loads packages.

## Pipelines

A pipeline is a list of modules in order, separated by commas, with options as in a query string:

\`\`\`
exact-cache?ttl=1h&max_bytes=200000, cost-guard?day=5
\`\`\`

A name behind a colon is a stored [configuration](../../guides/pipelines.md#configurations) of the module: \`cost-guard:team?day=5\`.

| set by | for |
|---|---|
| the header \`x-weir-pipeline\` | one call |
| \`pipelineConfig\` of an [API key](../api.md#post-v1keys) | the calls of the key |
| [\`WEIR_PIPELINE\`](../settings.md#modules-and-prices) | the calls of the instance |

- The first of these that exists is used. Without any, the pipeline is \`cost-guard\` without a ceiling, which changes nothing.
- \`none\` is a pipeline without modules.
- A protective module of a key or of the instance stays, whatever a header says.
- A module that [redacts](../../how-it-works/conversations.md#redaction) runs behind all modules that edit content.
- An unknown module or option is a 400 before anything is sent.

Three routes help to write one:

\`\`\`sh
curl localhost:3099/v1/modules                                             # every module, with its options as JSON Schema
curl 'localhost:3099/v1/pipeline/check?list=exact-cache%3Fttl%3D1h'         # everything that is wrong with a list
curl localhost:3099/v1/pipeline -H 'x-weir-pipeline: exact-cache'           # the pipeline of a call with these headers
\`\`\`
`;
}
