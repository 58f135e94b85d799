import { readFileSync } from 'node:fs';
import {
  type ConfigurationKind,
  type ConfigurationSet,
  checkContent,
  findKind,
  type ListedConfigurations,
} from '../kernel/configuration.ts';
import { GatewayError } from '../kernel/errors.ts';
import { parseBody } from '../kernel/json/parse-body.ts';
import type { Module } from '../kernel/module.ts';
import { isConfigurationName, parsePipelineList } from '../kernel/pipeline-list.ts';
import { createStage } from '../kernel/stage.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { aliasModule, rulesKind } from './configuration-kinds.ts';

/** Reads a document from a text that begins with a brace, or else from the file with this path. */
export function readConfigurations(setting: string): JsonObject {
  const bytes = setting.trimStart().startsWith('{') ? Buffer.from(setting) : readFileSync(setting);
  return parseBody(bytes);
}

export interface InstanceDocuments {
  /** `{"<module>": {"<name>": {…}}}` */
  readonly configurations?: JsonObject | undefined;
  readonly aliases?: JsonObject | undefined;
  /** Of guardrails. */
  readonly rules?: JsonObject | undefined;
  readonly pipelines?: JsonObject | undefined;
}

/** What the operator has set for all accounts. */
export interface InstanceConfigurations extends ListedConfigurations {
  /** The lists that names of pipelines stand for. */
  readonly pipelines: ReadonlyMap<string, string>;
}

/** One fault, with the variable that it is in. */
export interface InstanceFault {
  readonly variable: string;
  readonly message: string;
}

interface Item {
  readonly variable: string;
  /** What a fault calls it. */
  readonly label: string;
  readonly module: string;
  readonly name: string;
  readonly content: unknown;
}

/** Calls `onFault` for each fault. */
export function createInstanceConfigurations(
  documents: InstanceDocuments,
  modules: ReadonlyMap<string, Module>,
  onFault: (fault: InstanceFault) => void,
): InstanceConfigurations {
  const { lists, items: ofPipelines } = readPipelines(documents.pipelines ?? {}, modules, onFault);
  const items = [...itemsOf(documents), ...ofPipelines];
  const byName = new Map<string, unknown>();
  for (const { variable, label, module, name, content } of items) {
    const key = `${module}:${name}`;
    if (byName.has(key))
      onFault({ variable, message: `${label}: there is another "${key}" in the settings` });
    else byName.set(key, content);
  }
  const set: InstanceConfigurations = {
    names: items.map(({ module, name }) => ({ module, name })),
    pipelines: lists,
    find(module, name) {
      const content = byName.get(`${module}:${name}`);
      return isJsonObject(content) ? content : undefined;
    },
  };
  for (const { variable, label, module, name, content } of items) {
    const fault = aliasFaultOf(variable, content) ?? faultOf(findKind(modules, module), name, content, set);
    if (fault !== undefined) onFault({ variable, message: `${label}: ${fault}` });
  }
  for (const fault of listFaults(documents.pipelines ?? {}, lists, modules, set)) onFault(fault);
  return set;
}

/** Every alias has models; without them, it would be a configuration of the router. */
function aliasFaultOf(variable: string, content: unknown): string | undefined {
  const lacksModels = isJsonObject(content) && content.models === undefined;
  return variable === 'WEIR_ALIASES' && lacksModels ? 'must have "models"' : undefined;
}

/** What is wrong with entries that are texts, then with whole lists. */
function listFaults(
  pipelines: JsonObject,
  lists: ReadonlyMap<string, string>,
  modules: ReadonlyMap<string, Module>,
  set: ConfigurationSet,
): readonly InstanceFault[] {
  const variable = 'WEIR_PIPELINES';
  return [...lists].flatMap(([name, list]) => {
    const stages = pipelines[name];
    const ofEntries = (Array.isArray(stages) ? stages : []).flatMap((stage: unknown, at) => {
      const fault =
        typeof stage === 'string'
          ? messageOf(() => parsePipelineList(stage).map((entry) => createStage(entry, modules, set)))
          : undefined;
      return fault === undefined ? [] : [{ variable, message: `${name}.${at}: ${fault}` }];
    });
    if (ofEntries.length > 0) return ofEntries;
    const fault = messageOf(() => void parsePipelineList(list));
    return fault === undefined ? [] : [{ variable, message: `${name}: ${fault}` }];
  });
}

function itemsOf({ configurations = {}, aliases = {}, rules = {} }: InstanceDocuments): readonly Item[] {
  const general = Object.entries(configurations).flatMap(([module, named]) =>
    Object.entries(isJsonObject(named) ? named : { '': null }).map(([name, content]): Item => {
      return { variable: 'WEIR_CONFIGURATIONS', label: `${module}:${name}`, module, name, content };
    }),
  );
  const ofAliases = Object.entries(aliases).map(([name, content]): Item => {
    const models = Array.isArray(content) ? { models: content } : content;
    return { variable: 'WEIR_ALIASES', label: name, module: aliasModule, name, content: models };
  });
  const ofRules = Object.entries(rules).map(([name, content]): Item => {
    return { variable: 'WEIR_GUARDRAILS_RULES', label: name, module: rulesKind, name, content };
  });
  return [...general, ...ofAliases, ...ofRules];
}

/** Options of a module in a named pipeline are its configuration by the name of the pipeline. */
function readPipelines(
  pipelines: JsonObject,
  modules: ReadonlyMap<string, Module>,
  onFault: (fault: InstanceFault) => void,
): { readonly lists: ReadonlyMap<string, string>; readonly items: readonly Item[] } {
  const variable = 'WEIR_PIPELINES';
  const lists = new Map<string, string>();
  const items: Item[] = [];
  for (const [name, stages] of Object.entries(pipelines)) {
    const fault = nameFaultOf(name, modules);
    if (fault !== undefined) onFault({ variable, message: `${name}: ${fault}` });
    if (!Array.isArray(stages) || stages.length === 0) {
      onFault({ variable, message: `${name}: must be a list of modules` });
      continue;
    }
    const entries = stages.map((stage: unknown, at): string => {
      if (typeof stage === 'string') return stage;
      const [[module, content] = ['', null], ...more] = Object.entries(isJsonObject(stage) ? stage : {});
      const label = `${name}.${at}`;
      if (module === '' || more.length > 0)
        onFault({ variable, message: `${label}: must be a module with its options` });
      else if (!modules.has(module)) {
        const nearest = nearestName(module, modules.keys());
        const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
        onFault({ variable, message: `${label}: there is no module "${module.slice(0, 80)}"${hint}` });
      } else if (content !== null) {
        items.push({ variable, label: `${label}.${module}`, module, name, content });
        return `${module}:${name}`;
      }
      return module;
    });
    lists.set(name, entries.join(','));
  }
  return { lists, items };
}

function nameFaultOf(name: string, modules: ReadonlyMap<string, Module>): string | undefined {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name) || name === 'none')
    return 'must be a name of lower-case letters, digits and hyphens';
  return modules.has(name) ? 'is the name of a module; choose another' : undefined;
}

function faultOf(
  kind: ConfigurationKind | undefined,
  name: string,
  content: unknown,
  others: ConfigurationSet,
): string | undefined {
  if (kind === undefined) return 'there is no such module';
  if (!isConfigurationName(name)) return 'is not a name of letters, digits and .-_';
  if (!isJsonObject(content)) return 'must be a JSON object';
  return messageOf(() => checkContent(kind, name, content, others));
}

function messageOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    if (GatewayError.is(thrown)) return thrown.message;
    throw thrown;
  }
}
