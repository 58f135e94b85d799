import type { ClientRequest } from '../kernel/client-request.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';

/**
 * The models that a request names beside its own: fallbacks of the provider, models of its tools, an agent. The provider may
 * use each of them. `default` stands for a model that the provider chooses.
 */
export function otherModelsIn(clientRequest: ClientRequest): readonly string[] {
  const { fields, routing } = clientRequest;
  const present = fields.members().flatMap(({ name }) => (fieldsWithModels.has(name) ? [name] : []));
  const direct = present.flatMap((name) => (listsOfObjects.has(name) ? [] : namesIn(fields.get(name))));
  const nested = present
    .filter((name) => name !== 'model' && mayNameModel(fields.bytesOf(name)))
    .flatMap((name) => objectsIn(fields.get(name)))
    .flatMap(({ model, models }) => [...namesIn(model), ...namesIn(models)]);
  // Parsing the whole body rejects objects that name a model twice.
  if (nested.length > 0) void clientRequest.body;
  return [...direct, ...nested].filter((name) => name !== routing.model);
}

const listsOfObjects: ReadonlySet<string> = new Set(['tools', 'plugins']);
const fieldsWithModels: ReadonlySet<string> = new Set([
  ...['model', 'models', 'agent', 'fallbacks'],
  ...listsOfObjects,
]);

/** Long lists of tools rarely have such a key. Its letters may be written with escapes. */
function mayNameModel(json: Buffer | undefined): boolean {
  return json !== undefined && modelKeys.some((key) => json.includes(key));
}

/** The second begins escaped letters. */
const modelKeys: readonly Buffer[] = ['"model', '\\u00'].map((key) => Buffer.from(key));

function namesIn(value: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names.filter((name) => typeof name === 'string');
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
