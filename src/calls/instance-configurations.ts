import { readFileSync } from 'node:fs';
import {
  type ConfigurationName,
  checkConfiguration,
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
  const faults: string[] = [];
  const byName = new Map<string, JsonObject>();
  const names: ConfigurationName[] = [];
  for (const [module, configurations] of Object.entries(read))
    for (const [name, content] of Object.entries(
      isJsonObject(configurations) ? configurations : { '': null },
    )) {
      const fault = faultOf(modules.get(module), name, content);
      if (fault !== undefined) faults.push(`${module}:${name}: ${fault}`);
      else if (isJsonObject(content)) {
        byName.set(`${module}:${name}`, content);
        names.push({ module, name });
      }
    }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { names, find: (module, name) => byName.get(`${module}:${name}`) };
}

function faultOf(module: Module | undefined, name: string, content: unknown): string | undefined {
  if (module === undefined) return 'there is no such module';
  if (!isConfigurationName(name)) return 'is not a name of letters, digits and .-_';
  if (!isJsonObject(content)) return 'must be a JSON object';
  try {
    checkConfiguration(module, name, content);
    return undefined;
  } catch (thrown) {
    if (GatewayError.is(thrown)) return thrown.message;
    throw thrown;
  }
}
