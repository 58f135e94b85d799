import type { ClientRequest } from '../kernel/client-request.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';

/**
 * The models that a request names beside its own: fallbacks of the provider, models of its tools, an agent. The provider may
 * use each of them. `default` stands for a model that the provider chooses.
 */
export function otherModelsIn(clientRequest: ClientRequest): readonly string[] {
  const { fields, routing } = clientRequest;
  const direct = ['model', 'agent', 'fallbacks', 'models'].flatMap((field) => namesIn(fields.get(field)));
  const lists = ['fallbacks', 'tools', 'plugins'].flatMap((field) => {
    const bytes = fields.bytesOf(field);
    // Long lists of tools rarely name models; a key may be written with escapes.
    return bytes === undefined || !(bytes.includes('model') || bytes.includes('\\u'))
      ? []
      : objectsIn(fields.get(field));
  });
  const nested = lists.flatMap(({ model, models }) => [...namesIn(model), ...namesIn(models)]);
  // Parsing the whole body rejects objects that name a model twice.
  if (nested.length > 0) void clientRequest.body;
  return [...direct, ...nested].filter((name) => name !== routing.model);
}

function namesIn(value: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names.filter((name) => typeof name === 'string');
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
