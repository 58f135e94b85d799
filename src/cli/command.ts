import { parseArgs } from 'node:util';
import type { Environment } from '../gateway/settings.ts';

/** One command, from which its help, its completion and its place in the docs are made. */
export interface Command {
  /** What it is called by: `users list`. */
  readonly name: string;
  readonly summary: string;
  /** What one has to know before using it. */
  readonly about?: string;
  readonly positionals?: readonly Argument[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** Resolves to the exit code. */
  run(commandInput: CommandInput): Promise<number>;
}

interface Argument {
  readonly name: string;
  /** Where it is one of these and nothing else. */
  readonly choices?: readonly string[];
  readonly isOptional?: boolean;
  readonly isFile?: boolean;
}

interface Flag {
  readonly about: string;
  /** What follows it, if something does. */
  readonly value?: string;
}

/** What came with a command. */
export interface CommandInput {
  readonly environment: Environment;
  /** Those that it takes, in their order. */
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
}

/** `weir users list [--json]` */
export function usageOf({ name, positionals = [], flags = {} }: Command): string {
  const values = positionals.map(({ name: value, choices, isOptional }) => {
    const shown = choices?.join('|') ?? `<${value}>`;
    return isOptional ? `[${shown}]` : shown;
  });
  const options = Object.entries(flags).map(([flag, { value }]) =>
    value === undefined ? `[--${flag}]` : `[--${flag} <${value}>]`,
  );
  return ['weir', name, ...values, ...options].join(' ');
}

/** Undefined where it isn't what the command takes. */
export function parseArguments(
  { positionals: takes = [], flags = {} }: Command,
  args: readonly string[],
): Omit<CommandInput, 'environment'> | undefined {
  const options = Object.entries(flags).map(([flag, { value }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [flag, { type }] as const;
  });
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries(options),
      allowPositionals: true,
    });
    const fits =
      positionals.length <= takes.length &&
      takes.every((argument, at) => isValidArgument(argument, positionals[at]));
    return fits ? { positionals: positionals, flags: toFlags(values) } : undefined;
  } catch {
    return undefined;
  }
}

function isValidArgument({ choices, isOptional }: Argument, value: string | undefined): boolean {
  if (value === undefined) return isOptional === true;
  return value !== '' && choices?.includes(value) !== false;
}

function toFlags(values: Readonly<Record<string, unknown>>): CommandInput['flags'] {
  const flags: Record<string, string | true> = {};
  for (const [flag, value] of Object.entries(values))
    if (typeof value === 'string' || value === true) flags[flag] = value;
  return flags;
}
