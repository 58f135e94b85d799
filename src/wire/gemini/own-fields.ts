import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import { ownFields } from '../foreign.ts';
import { type Losses, sortFields } from '../losses.ts';
import { objectOf } from '../read.ts';
import { camelOf, field } from './fields.ts';

/** Fields of `generationConfig` that have a canonical name of their own. */
export const modelFields = [
  ['max_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['stop_sequences', 'stopSequences'],
] as const;

/** Fields that have no canonical name; those inside of `generationConfig` by where they stand. */
export function lossesOf(body: JsonObject): Losses {
  const config = Object.entries(objectOf(field(body, 'generationConfig')) ?? {});
  const nested = config.map(([name, value]) => [`generationConfig.${camelOf(name)}`, value]);
  const top = Object.entries(body).map(([name, value]) => [camelOf(name), value]);
  const all: JsonObject = { ...Object.fromEntries(top), ...Object.fromEntries(nested) };
  return sortFields(all, { isEssential, translated });
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

const translated: ReadonlySet<string> = new Set([
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
  ...modelFields.map(([, name]) => `generationConfig.${name}`),
]);

/** The fields of the body itself that changed with what only this format has; `undefined` for those that are gone. */
export function ownBody(now: ChatRequest, before: ChatRequest): JsonObject {
  const gone = Object.keys(ownFields(before, 'gemini')).map((name) => [name, undefined]);
  const all: JsonObject = { ...Object.fromEntries(gone), ...ownFields(now, 'gemini') };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.includes('.')));
}
