import type { ToolUseBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectOf, stringOf } from '../json-values.ts';

/** In other formats a free-text tool takes the text as its only argument. */
export const freeTextSchema: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** Adds the grammar that the text has to follow, if any. */
export function freeTextDescription({ description, format }: JsonObject): string | undefined {
  const plainDescription = stringOf(description);
  const formatObject = objectOf(format);
  const grammar = stringOf(formatObject?.definition) ?? stringOf(objectOf(formatObject?.grammar)?.definition);
  if (grammar === undefined) return plainDescription;
  return `${plainDescription ?? ''}\n\nThe input must follow this grammar:\n${grammar}`.trimStart();
}

export function freeTextOf({ input }: Pick<ToolUseBlock, 'input'>): string {
  if (typeof input === 'string') return input;
  const text = isJsonObject(input) ? input.input : undefined;
  return typeof text === 'string' ? text : JSON.stringify(input ?? {});
}
