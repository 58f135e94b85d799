import { parseArgs } from 'node:util';
import type { Environment } from '../gateway/settings.ts';

/** A command; its help, shell completion and docs are generated from this. */
export interface Command {
  /** Such as `users list`. */
  readonly name: string;
  readonly summary: string;
  /** Longer help text. */
  readonly about?: string;
  readonly positionals?: readonly Argument[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** Resolves to the exit code. */
  run(commandInput: CommandInput): Promise<number>;
}

interface Argument {
  readonly name: string;
  /** The allowed values, if limited. */
  readonly choices?: readonly string[];
  readonly isOptional?: boolean;
  readonly isFile?: boolean;
}

interface Flag {
  readonly about: string;
  /** The name of its value, if it takes one. */
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly isRepeated?: boolean;
}

/** The parsed arguments of a command. */
export interface CommandInput {
  readonly environment: Environment;
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
  /** The values of flags that may be given several times. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** The flag of commands that list. */
export const jsonLines = { json: { about: 'print one JSON object per line' } };

/** `weir users list [--json]` */
export function usageOf({ name, positionals = [], flags = {} }: Command): string {
  const values = positionals.map(({ name: value, choices, isOptional }) => {
    const placeholder = choices?.join('|') ?? `<${value}>`;
    return isOptional ? `[${placeholder}]` : placeholder;
  });
  const options = Object.entries(flags).map(([flag, { value, isRepeated }]) =>
    value === undefined ? `[--${flag}]` : `[--${flag} <${value}>]${isRepeated === true ? '…' : ''}`,
  );
  return ['weir', name, ...values, ...options].join(' ');
}

/** Undefined if the arguments are invalid. */
export function parseArguments(
  { positionals: takes = [], flags = {} }: Command,
  args: readonly string[],
): Omit<CommandInput, 'environment'> | undefined {
  const options = Object.entries(flags).map(([flag, { value, isRepeated = false }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [flag, { type, multiple: isRepeated }] as const;
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
    return fits ? { positionals: positionals, flags: toFlags(values), lists: toLists(values) } : undefined;
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

function toLists(values: Readonly<Record<string, unknown>>): CommandInput['lists'] {
  const lists: Record<string, readonly string[]> = {};
  for (const [flag, value] of Object.entries(values))
    if (Array.isArray(value)) lists[flag] = value.filter((one) => typeof one === 'string');
  return lists;
}
