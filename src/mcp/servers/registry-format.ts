import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import type { McpServerSettings } from './server-settings.ts';

const input = z.looseObject({
  name: z.string().optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});
const argument = z.looseObject({
  type: z.string().optional(),
  name: z.string().optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  valueHint: z.string().optional(),
  isRequired: z.boolean().optional(),
});
const remote = z.looseObject({
  type: z.string(),
  url: z.string(),
  headers: z.array(input).optional(),
});
const registryPackage = z.looseObject({
  registryType: z.string(),
  identifier: z.string().min(1),
  version: z.string().optional(),
  runtimeHint: z.string().optional(),
  transport: z.looseObject({ type: z.string() }).optional(),
  runtimeArguments: z.array(argument).optional(),
  packageArguments: z.array(argument).optional(),
  environmentVariables: z.array(input).optional(),
});

/** A server as the MCP registry describes it. */
export const registryServer = z.looseObject({
  name: z.string(),
  remotes: z.array(remote).optional(),
  packages: z.array(registryPackage).optional(),
});

export interface RegistryImport {
  readonly settings: McpServerSettings;
  /** Headers or variables with their values, where the description has them or the caller gave them. */
  readonly secrets: ReadonlyMap<string, string>;
}

interface ImportOptions {
  /** What the caller fills in, by the name of the header, variable or argument. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether programs can be started here. */
  readonly hasPrograms: boolean;
}

/** Turns the description of the registry into a server: its first remote over HTTP, or its first package over stdio. */
export function importFromRegistry(description: unknown, options: ImportOptions): RegistryImport {
  const read = registryServer.safeParse(serverIn(description));
  if (!read.success) throw registryError('is not in the format of the MCP registry');
  const { remotes = [], packages = [] } = read.data;
  const found =
    remotes.find(({ type }) => type === 'streamable-http') ?? remotes.find(({ type }) => type === 'sse');
  if (found !== undefined)
    return { settings: { url: fill(found.url, options) }, secrets: fillAll(found.headers ?? [], options) };
  const local = packages.find(
    ({ transport, registryType }) => (transport?.type ?? 'stdio') === 'stdio' && registryType in runners,
  );
  if (local === undefined) throw registryError('has neither a remote over HTTP nor a package for stdio');
  if (!options.hasPrograms)
    throw registryError('has packages only, and this gateway starts no programs of accounts');
  const { registryType, runtimeHint, identifier, version } = local;
  const runner = runners[registryType];
  if (runner === undefined) throw registryError(`has packages of ${registryType} only`);
  const args = [
    ...(local.runtimeArguments ?? []).flatMap((one) => wordsOf(one, options)),
    ...runner.args(identifier, version),
    ...(local.packageArguments ?? []).flatMap((one) => wordsOf(one, options)),
  ];
  return {
    settings: { command: runtimeHint ?? runner.command, args },
    secrets: fillAll(local.environmentVariables ?? [], options),
  };
}

interface Runner {
  readonly command: string;
  args(identifier: string, version: string | undefined): readonly string[];
}

const runners: Readonly<Record<string, Runner>> = {
  npm: {
    command: 'npx',
    args: (name, version) => ['-y', version === undefined ? name : `${name}@${version}`],
  },
  pypi: { command: 'uvx', args: (name, version) => [version === undefined ? name : `${name}==${version}`] },
  oci: {
    command: 'docker',
    args: (name, version) => [
      'run',
      '-i',
      '--rm',
      version === undefined || name.includes(':') ? name : `${name}:${version}`,
    ],
  },
};

/** Answers of the registry have the server in a field of its own. */
function serverIn(description: unknown): unknown {
  return typeof description === 'object' && description !== null && 'server' in description
    ? description.server
    : description;
}

function wordsOf(
  { type, name, value, default: preset, valueHint, isRequired }: z.infer<typeof argument>,
  options: ImportOptions,
): readonly string[] {
  const label = name ?? valueHint ?? '';
  const text = options.values[label] ?? value ?? preset;
  if (text === undefined) {
    if (isRequired === true) throw missingError(label);
    return [];
  }
  return type === 'named' && name !== undefined ? [name, fill(text, options)] : [fill(text, options)];
}

function fillAll(
  inputs: readonly z.infer<typeof input>[],
  options: ImportOptions,
): ReadonlyMap<string, string> {
  const filled = new Map<string, string>();
  for (const { name = '', value, default: preset, isRequired } of inputs) {
    const text = options.values[name] ?? value ?? preset;
    if (text !== undefined) filled.set(name, fill(text, options));
    else if (isRequired === true) throw missingError(name);
  }
  return filled;
}

/** Replaces `{name}` by the value of that name. */
function fill(text: string, { values }: ImportOptions): string {
  return text.replace(/\{([A-Za-z0-9_.-]{1,100})\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw missingError(name);
    return value;
  });
}

function missingError(name: string): GatewayError {
  return new GatewayError('invalid_request', `values.${name}: the server needs a value for it`, {
    param: 'values',
  });
}

function registryError(fault: string): GatewayError {
  return new GatewayError('invalid_request', `registry: the description ${fault}`, { param: 'registry' });
}
