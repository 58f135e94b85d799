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
import { isConfigurationName } from '../kernel/pipeline-list.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';

/** Reads `{"<module>": {"<name>": {…}}}` from a text that begins with a brace, or else from the file with this path. */
export function readConfigurations(setting: string): JsonObject {
  const bytes = setting.trimStart().startsWith('{') ? Buffer.from(setting) : readFileSync(setting);
  return parseBody(bytes);
}

/** The configurations that the operator has set, for all accounts. Throws an error with one line for each fault. */
export function createInstanceConfigurations(
  read: JsonObject,
  modules: ReadonlyMap<string, Module>,
): ListedConfigurations {
  const listed = Object.entries(read).flatMap(([module, configurations]) =>
    Object.entries(isJsonObject(configurations) ? configurations : { '': null }).map(([name, content]) => ({
      ...{ module, name, content },
    })),
  );
  const byName = new Map(listed.map(({ module, name, content }) => [`${module}:${name}`, content]));
  const set: ListedConfigurations = {
    names: listed.map(({ module, name }) => ({ module, name })),
    find(module, name) {
      const content = byName.get(`${module}:${name}`);
      return isJsonObject(content) ? content : undefined;
    },
  };
  const faults = listed.flatMap(({ module, name, content }) => {
    const fault = faultOf(findKind(modules, module), name, content, set);
    return fault === undefined ? [] : [`${module}:${name}: ${fault}`];
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return set;
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
  try {
    checkContent(kind, name, content, others);
    return undefined;
  } catch (thrown) {
    if (GatewayError.is(thrown)) return thrown.message;
    throw thrown;
  }
}
