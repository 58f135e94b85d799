import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { GatewayError } from './errors.ts';
import { limits } from './limits.ts';
import type { Module } from './module.ts';
import type { PipelineEntry } from './pipeline-list.ts';
import type { SchemaIssue, StandardSchema } from './standard-schema.ts';

/** Named configurations of modules, as pipelines refer to them. */
export interface ConfigurationSet {
  find(module: string, name: string): JsonObject | undefined;
}

/** A set that can be listed. */
export interface ListedConfigurations extends ConfigurationSet {
  readonly names: readonly ConfigurationName[];
}

export interface ConfigurationName {
  readonly module: string;
  readonly name: string;
}

export const noConfigurations: ConfigurationSet = { find: () => undefined };

/**
 * The options of a pipeline entry: those of its configuration, replaced by those that the list itself gives. `base`
 * has what both leave out.
 */
export function readOptions(
  module: Module,
  entry: PipelineEntry,
  configurations: ConfigurationSet,
  base?: JsonObject,
): unknown {
  const read = readFields(module, entry, configurations, base);
  return resolveDefinitions(module, read, configurations);
}

function readFields(
  module: Module,
  { name, configuration, options }: PipelineEntry,
  configurations: ConfigurationSet,
  base: JsonObject | undefined,
): unknown {
  if (configuration === undefined && base === undefined) return parseOptions(name, module.options, options);
  const label = configuration === undefined ? name : `${name}:${configuration}`;
  const stored = configuration === undefined ? {} : configurations.find(name, configuration);
  if (stored === undefined) throw unknownConfigurationError(label);
  const content = { ...base, ...stored };
  if (module.configuration === undefined)
    return parseOptions(label, module.options, { ...textsOf(label, content), ...options });
  const configured = parseOptions(label, module.configuration, content);
  if (Object.keys(options).length === 0) return configured;
  return { ...fieldsOf(configured), ...given(parseOptions(label, module.options, options), options) };
}

/** Rejects a configuration that the module can't use, with all faults. `others` has the definitions that it may list. */
export function checkConfiguration(
  module: Module,
  configuration: string,
  content: JsonObject,
  others: ConfigurationSet = noConfigurations,
): void {
  const find: ConfigurationSet['find'] = (kind, name) =>
    kind === module.name ? content : others.find(kind, name);
  readOptions(module, { name: module.name, configuration, options: {} }, { find });
}

/** Rejects stored content that its module can't use. */
export function checkContent(
  { module, isDefinition }: ConfigurationKind,
  name: string,
  content: JsonObject,
  others: ConfigurationSet,
): void {
  if (isDefinition) module.definitions?.describe(name, content);
  else checkConfiguration(module, name, content, others);
}

/** What is stored for a module: its configurations, or its definitions. */
export interface ConfigurationKind {
  readonly module: Module;
  readonly isDefinition: boolean;
}

/** Finds `router` or `guardrails.rules`; undefined if there is no such module. */
export function findKind(modules: ReadonlyMap<string, Module>, kind: string): ConfigurationKind | undefined {
  const [name = '', option] = kind.split('.', 2);
  const module = modules.get(name);
  if (module === undefined || (option !== undefined && kind !== definitionsKindOf(module))) return undefined;
  return { module, isDefinition: option !== undefined };
}

/** The kind that definitions of a module are stored as; undefined if it has none. */
export function definitionsKindOf({ name, definitions }: Module): string | undefined {
  return definitions === undefined ? undefined : `${name}.${definitions.option}`;
}

/** Replaces names of definitions by their content. */
function resolveDefinitions(module: Module, options: unknown, configurations: ConfigurationSet): unknown {
  const kind = definitionsKindOf(module);
  if (module.definitions === undefined || kind === undefined) return options;
  return module.definitions.resolve(options, (name) => {
    const content = configurations.find(kind, name);
    if (content === undefined) throw unknownConfigurationError(`${kind}:${name.slice(0, 100)}`);
    return content;
  });
}

function unknownConfigurationError(label: string): GatewayError {
  return new GatewayError('unknown_configuration', `there is no configuration "${label}"`);
}

/** Empty if the schema library can't describe it. */
export function jsonSchemaOf(schema: StandardSchema<unknown>): JsonObject {
  const { $schema, ...described } = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {};
  return described;
}

/** A module that has no schema for configurations reads them like the options of a list, which are texts. */
function textsOf(label: string, content: JsonObject): Record<string, string> {
  const values = Object.entries(content);
  const faults = values
    .filter(([, value]) => typeof value === 'object')
    .map(([name]) => truncate(name))
    .map((param) => ({ message: `${label}?${param}: must be a text, a number or true or false`, param }));
  if (faults.length > 0) throw optionsError(faults);
  return Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
}

/** The parsed values of the options that the list gives, without defaults. */
function given(parsed: unknown, options: PipelineEntry['options']): JsonObject {
  return Object.fromEntries(
    Object.entries(fieldsOf(parsed)).filter(([name]) => Object.hasOwn(options, name)),
  );
}

function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function parseOptions(label: string, schema: StandardSchema<unknown>, input: unknown): unknown {
  const read = schema['~standard'].validate(input);
  if (read instanceof Promise) throw new Error(`the options of ${label} must be validated synchronously`);
  if (read.issues === undefined) return read.value;
  throw optionsError(read.issues.map((issue) => optionIssue(label, issue, schema)));
}

interface OptionFault {
  readonly message: string;
  readonly param?: string;
}

function optionsError(faults: readonly OptionFault[]): GatewayError {
  const listed = faults.slice(0, limits.reportedFaultsMax).map(({ message }) => message);
  const more = faults.length > listed.length ? [`and ${faults.length - listed.length} more faults`] : [];
  const param = faults.find((fault) => fault.param !== undefined)?.param;
  return new GatewayError(
    'bad_module_option',
    [...listed, ...more].join('; '),
    param === undefined ? {} : { param },
  );
}

function optionIssue(label: string, issue: SchemaIssue, schema: StandardSchema<unknown>): OptionFault {
  const path = (issue.path ?? []).map((step) => truncate(String(typeof step === 'object' ? step.key : step)));
  const unknown = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys.map(String) : [];
  const [first] = unknown;
  if (first !== undefined) {
    const where = path.length === 0 ? label : `${label}?${path.join('.')}`;
    const meant =
      path.length === 0
        ? nearestName(first, Object.keys(fieldsOf(jsonSchemaOf(schema).properties)))
        : undefined;
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return {
      message: `${where}: there is no option ${unknown.map(quoteName).join(' and no ')}${hint}`,
      param: path[0] ?? first,
    };
  }
  const [param] = path;
  if (param === undefined) return { message: `${label}: ${issue.message}` };
  return { message: `${label}?${path.join('.')}: ${issue.message}`, param };
}

function quoteName(text: string): string {
  return `"${truncate(text)}"`;
}

function truncate(name: string): string {
  return name.slice(0, limits.reportedFieldCharacters).toWellFormed();
}
