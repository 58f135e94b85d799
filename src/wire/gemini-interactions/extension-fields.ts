import type { ChatRequest } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { collectExtensionFields, type ExtensionFields } from '../extension-fields.ts';
import { extensionBodyFields } from '../foreign.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { mediaFormatsOf } from './response-format.ts';

/** Fields of `generation_config` with the canonical field of the same meaning. */
export const generationConfigFields = [
  ['max_tokens', 'max_output_tokens'],
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['stop_sequences', 'stop_sequences'],
] as const;

/** Fields without a canonical equivalent; those inside `generation_config` by path. */
export function decodeExtensionFields(body: JsonObject): ExtensionFields {
  const config = Object.entries(objectOf(body.generation_config) ?? {});
  const nested = config.map(([name, value]) => [`generation_config.${name}`, value]);
  const extensionFields = collectExtensionFields(
    { ...body, ...Object.fromEntries(nested) },
    { isEssential, translated: translatedFields },
  );
  for (const type of mediaFormatsOf(body)) extensionFields.essential[`response_format.${type}`] = true;
  return extensionFields;
}

function isEssential(name: string, value: unknown): boolean {
  switch (name) {
    case 'agent':
    case 'agent_config':
    case 'cached_content':
    case 'continuation_token':
    case 'environment':
    case 'previous_interaction_id':
    case 'generation_config.speech_config':
    case 'generation_config.transcription_config':
    case 'generation_config.video_config':
      return true;
    case 'background':
      return value === true;
    case 'response_modalities':
      return Array.isArray(value) && value.some((modality) => stringOf(modality)?.toLowerCase() !== 'text');
    default:
      return false;
  }
}

const translatedFields: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'store',
  'background',
  'input',
  'system_instruction',
  'tools',
  'response_format',
  'response_mime_type',
  'response_modalities',
  'generation_config',
  'generation_config.thinking_level',
  'generation_config.thinking_summaries',
  'generation_config.tool_choice',
  ...generationConfigFields.map(([, name]) => `generation_config.${name}`),
]);

/** The changed format-specific fields of the body; `undefined` for removed ones. */
export function changedExtensionFields(now: ChatRequest, before: ChatRequest): JsonObject {
  const gone = Object.keys(ownFields(before)).map((name) => [name, undefined]);
  const all: JsonObject = { ...Object.fromEntries(gone), ...ownFields(now) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.includes('.')));
}

function ownFields(request: ChatRequest): JsonObject {
  return extensionBodyFields(request, 'gemini-interactions');
}
