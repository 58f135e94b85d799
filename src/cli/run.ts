import type { Environment } from '../gateway/settings.ts';
import { version } from '../gateway/version.ts';
import { explainError } from '../process/explain-error.ts';
import { type Command, parseArguments, usageOf } from './command.ts';
import { commands } from './commands.ts';

/** The command line; resolves to the exit code. */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  const [first = 'serve'] = args;
  if (first === '--help' || first === '-h') return print((await import('./help.ts')).overview());
  if (first === '--version') return print(version);
  if (first === 'help') return printHelp(args.slice(1));
  const all = args.length === 0 ? ['serve'] : args;
  const command = findCommand(all);
  if (command === undefined) return failUnknownCommand(args);
  const rest = all.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h'))
    return print((await import('./help.ts')).helpOf(command));
  const input = parseArguments(command, rest);
  if (input === undefined) return failWithUsage(command, args);
  try {
    return await command.run({ environment, ...input });
  } catch (thrown) {
    return fail(explainError(thrown));
  }
}

async function printHelp(words: readonly string[]): Promise<number> {
  const { overview, helpOf } = await import('./help.ts');
  if (words.length === 0) return print(overview());
  const command = findCommand(words);
  return command === undefined ? failUnknownCommand(words) : print(helpOf(command));
}

function findCommand(args: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word));
}

function failWithUsage(command: Command, args: readonly string[]): number {
  const takesNothing = command.positionals === undefined && command.flags === undefined;
  return takesNothing ? failNotACommand(args) : fail(usageOf(command));
}

/** For a group such as `users`, lists its commands. */
function failUnknownCommand(args: readonly string[]): number {
  const group = commands.filter(({ name }) => name.startsWith(`${args[0]} `)).map(usageOf);
  if (group.length === 0) return failNotACommand(args);
  const isHelp = args.includes('--help') || args.includes('-h');
  return isHelp ? print(group.join('\n')) : fail(group.join('\n      '));
}

function failNotACommand(args: readonly string[]): number {
  return fail(`"${args.join(' ')}" is not a command; "weir --help" lists them`);
}

function fail(message: string): number {
  console.error(`weir: ${message}`);
  return 1;
}

function print(text: string): number {
  console.log(text);
  return 0;
}
