import type { ChatRequest } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { collectExtensionFields, type ExtensionFields } from '../extension-fields.ts';
import { extensionBodyFields } from '../foreign.ts';
import { objectOf } from '../json-values.ts';
import { readField, toCamelCase } from './fields.ts';

/** Fields of `generationConfig` with a canonical equivalent. */
export const generationConfigFields = [
  ['max_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['stop_sequences', 'stopSequences'],
] as const;

/** Fields without a canonical equivalent; those inside `generationConfig` by path. */
export function decodeExtensionFields(body: JsonObject): ExtensionFields {
  const config = Object.entries(objectOf(readField(body, 'generationConfig')) ?? {});
  const nested = config.map(([name, value]) => [`generationConfig.${toCamelCase(name)}`, value]);
  const top = Object.entries(body).map(([name, value]) => [toCamelCase(name), value]);
  const all: JsonObject = { ...Object.fromEntries(top), ...Object.fromEntries(nested) };
  return collectExtensionFields(all, { isEssential, translated: translatedFields });
}

function isEssential(name: string, value: unknown): boolean {
  switch (name) {
    case 'cachedContent':
    case 'generationConfig.speechConfig':
      return true;
    case 'generationConfig.candidateCount':
      return value !== 1;
    case 'generationConfig.responseMimeType':
      return value === 'text/x.enum';
    case 'generationConfig.responseLogprobs':
      return value === true;
    case 'generationConfig.responseModalities':
      return Array.isArray(value) && value.some((modality) => String(modality).toUpperCase() !== 'TEXT');
    default:
      return false;
  }
}

const translatedFields: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'generateContentRequest',
  'generationConfig.candidateCount',
  'generationConfig.responseLogprobs',
  'generationConfig.responseModalities',
  'generationConfig.responseMimeType',
  'generationConfig.responseSchema',
  'generationConfig.responseJsonSchema',
  'generationConfig.thinkingConfig',
  ...generationConfigFields.map(([, name]) => `generationConfig.${name}`),
]);

/** The changed format-specific fields of the body; `undefined` for removed ones. */
export function changedExtensionFields(now: ChatRequest, before: ChatRequest): JsonObject {
  const gone = Object.keys(extensionBodyFields(before, 'gemini')).map((name) => [name, undefined]);
  const all: JsonObject = { ...Object.fromEntries(gone), ...extensionBodyFields(now, 'gemini') };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.includes('.')));
}
