import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { SettingsError } from '../gateway/settings.ts';
import { loadAll } from '../process/load-settings.ts';
import { builtInProviders } from '../providers/index.ts';
import type { CommandInput } from './command.ts';
import { type Choices, configurationTemplate } from './init-template.ts';

const knownProviders = builtInProviders.filter(({ keyless }) => keyless !== true).map(({ name }) => name);

/** Writes a configuration file; resolves to the exit code. */
export async function init({
  environment,
  positionals: [path = 'weir.yaml'],
  flags,
}: CommandInput): Promise<number> {
  if (existsSync(path)) throw new Error(`${path} exists already; weir init replaces no file`);
  const given = { mode: flags.mode, providers: flags.providers, pipeline: flags.pipeline };
  const choices = toChoices(isatty(0) && isatty(1) ? await ask(given) : given);
  // Never replaces a file that was written meanwhile.
  writeFileSync(path, configurationTemplate(choices), { flag: 'wx' });
  try {
    await loadAll(environment, { file: path });
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    console.error(`${path} is written. Before the gateway starts:`);
    for (const fault of thrown.faults) console.error(`- ${fault}`);
    return 0;
  }
  console.log(`${path} is written; weir config check checks it, and weir starts the gateway with it`);
  return 0;
}

type GivenFlags = Readonly<Record<keyof Choices, string | true | undefined>>;

/** The three questions; a flag answers its own. */
async function ask(given: GivenFlags): Promise<GivenFlags> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const question = (text: string) => terminal.question(`${text}: `);
  try {
    return {
      mode:
        given.mode ??
        (await question('Who uses it? local (you alone) or cloud (accounts with API keys) [local]')),
      providers:
        given.providers ??
        (await question(`Which providers? ${knownProviders.join(', ')} [anthropic,openai]`)),
      pipeline:
        given.pipeline ??
        (await question('What do calls run through, such as exact-cache?ttl=10m [nothing]')),
    };
  } finally {
    terminal.close();
  }
}

function toChoices({ mode, providers, pipeline }: GivenFlags): Choices {
  const chosenMode = textOf(mode) ?? 'local';
  if (chosenMode !== 'local' && chosenMode !== 'cloud') throw new Error('the mode must be local or cloud');
  const names = (textOf(providers) ?? 'anthropic,openai').split(',').map((name) => name.trim().toLowerCase());
  const unknown = names.filter((name) => !knownProviders.includes(name));
  if (unknown.length > 0)
    throw new Error(`there is no provider ${unknown.join(', ')}; known are ${knownProviders.join(', ')}`);
  return { mode: chosenMode, providers: names, pipeline: textOf(pipeline) };
}

function textOf(value: string | true | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
