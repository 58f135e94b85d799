import type { JsonObject } from '../kernel/json.ts';

/** The least of a request, as JSON Schema: a model, a conversation, and whether to stream. */
export function bodySchema(conversation: JsonObject, required: readonly string[]): JsonObject {
  const properties = { model: { type: 'string' }, ...conversation, stream: { type: 'boolean' } };
  return { type: 'object', required: ['model', ...required], properties, additionalProperties: true };
}

export const messagesSchema: JsonObject = bodySchema(
  { messages: { type: 'array', items: { type: 'object' } } },
  ['messages'],
);
