import type { JsonObject } from '../lib/json.ts';

/** The minimal request as JSON Schema: model, conversation and stream. */
export function bodySchema(conversation: JsonObject, required: readonly string[]): JsonObject {
  const properties = { model: { type: 'string' }, ...conversation, stream: { type: 'boolean' } };
  return { type: 'object', required: ['model', ...required], properties, additionalProperties: true };
}

export const messagesSchema: JsonObject = bodySchema(
  { messages: { type: 'array', items: { type: 'object' } } },
  ['messages'],
);
