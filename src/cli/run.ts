import type { Environment } from '../gateway/settings.ts';
import { version } from '../gateway/version.ts';
import { type Command, readArguments, usageOf } from './command.ts';
import { commands } from './commands.ts';
import { explained } from './explained.ts';

/** The command line; resolves to the exit code. */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  const [first = 'serve'] = args;
  if (first === '--help' || first === '-h') return say((await import('./help.ts')).overview());
  if (first === '--version') return say(version);
  if (first === 'help') return help(args.slice(1));
  const all = args.length === 0 ? ['serve'] : args;
  const command = commandOf(all);
  if (command === undefined) return unknown(args);
  const rest = all.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) return say((await import('./help.ts')).helpOf(command));
  const given = readArguments(command, rest);
  if (given === undefined) return wrong(command, args);
  try {
    return await command.run({ environment, ...given });
  } catch (thrown) {
    return fail(explained(thrown));
  }
}

async function help(words: readonly string[]): Promise<number> {
  const { overview, helpOf } = await import('./help.ts');
  if (words.length === 0) return say(overview());
  const command = commandOf(words);
  return command === undefined ? unknown(words) : say(helpOf(command));
}

function commandOf(args: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word));
}

function wrong(command: Command, args: readonly string[]): number {
  const takesNothing = command.takes === undefined && command.flags === undefined;
  return takesNothing ? notOne(args) : fail(usageOf(command));
}

/** Of a group such as `users`, what is in it. */
function unknown(args: readonly string[]): number {
  const group = commands.filter(({ name }) => name.startsWith(`${args[0]} `)).map(usageOf);
  if (group.length === 0) return notOne(args);
  const isAsked = args.includes('--help') || args.includes('-h');
  return isAsked ? say(group.join('\n')) : fail(group.join('\n      '));
}

function notOne(args: readonly string[]): number {
  return fail(`"${args.join(' ')}" is not a command; "weir --help" lists them`);
}

function fail(message: string): number {
  console.error(`weir: ${message}`);
  return 1;
}

function say(text: string): number {
  console.log(text);
  return 0;
}
