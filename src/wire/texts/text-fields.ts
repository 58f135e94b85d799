import type { JsonObject } from '../../lib/json.ts';
import type { TextField, TextPlace, UnscannedPart } from './text-place.ts';

/** Strings that name things or choose settings. */
export const keptStrings: ReadonlySet<string> = new Set(
  `type id role model object status mode effort ttl format detail encoding syntax phase language outcome voice kind wire
  tool_name tool_use_id tool_call_id call_id item_id response_id container_id connector_id approval_request_id server_label server_name
  namespace version media_type mime_type mimeType signature thoughtSignature thought_signature encrypted_index authorization
  authorization_token service_tier serviceTier truncation verbosity reasoning_effort prompt_cache_retention include modalities
  responseModalities response_modalities response_mime_type continuation_token allowed_callers allowed_domains blocked_domains allowed_tools execution awaits
  display speed inference_geo category clear_at prefix_mismatch_behavior response_inclusion oversized_image mcp_server_name toolset_name
  tab_id skill_id fallbacks fallback_credit_token token previous_message_id`.split(/\s+/),
);

/** Whole values of that kind: markers, credentials, choices and settings. */
export const keptTrees: ReadonlySet<string> = new Set(
  'cache_control headers tool_choice safetySettings safety_settings thinkingConfig speechConfig'.split(' '),
);

/** Strings that stand for content which can't be read here. */
export const unscannedStrings: ReadonlyMap<string, UnscannedPart['kind']> = new Map([
  ['file_id', 'file'],
  ['encrypted_content', 'encrypted'],
  ['encrypted_stdout', 'encrypted'],
  ['previous_response_id', 'stored'],
  ['previous_interaction_id', 'stored'],
  ['conversation', 'stored'],
  ['cachedContent', 'stored'],
  ['cached_content', 'stored'],
]);

/** Types of blocks whose `data` only a provider can read. */
export const encryptedTypes: ReadonlySet<unknown> = new Set(['redacted_thinking', 'reasoning.encrypted']);

/** Objects with any keys: every string in them is data. */
export const dataFields: ReadonlySet<string> = new Set(
  `input args arguments action operation response metadata labels variables attributes env partMetadata
  part_metadata`.split(/\s+/),
);

export const schemaFields: ReadonlySet<string> = new Set(
  `input_schema parameters schema parametersJsonSchema parameters_json_schema responseSchema response_schema responseJsonSchema
  response_json_schema`.split(/\s+/),
);

/** Values in a schema. */
export const exampleFields: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'default',
  'example',
  'examples',
]);

export const keptInSchemas: ReadonlySet<string> = new Set(
  'type format required pattern $ref $id $schema $anchor propertyOrdering'.split(' '),
);

/** What strings are, by the name of their field. */
export const stringFields: ReadonlyMap<string, TextField> = new Map([
  ['input', 'tool-arguments'],
  ['output', 'tool-result'],
  ['reasoning', 'thinking'],
  ['reasoning_content', 'thinking'],
  ['thinking', 'thinking'],
]);

/** Addresses, which may be `data:` URLs with the content in them. */
export const urlFields: ReadonlySet<string> = new Set(
  'url uri image_url file_url document_url file_data fileUri file_uri'.split(' '),
);

/** What an object is, by the name of its field and by its type. */
const objectFields: ReadonlyMap<unknown, TextField> = new Map([
  ['function_call', 'tool-arguments'],
  ['functionCall', 'tool-arguments'],
  ['tool_calls', 'tool-arguments'],
  ['function_response', 'tool-result'],
  ['functionResponse', 'tool-result'],
  ['output', 'tool-result'],
  ['reasoning_details', 'thinking'],
  ['thinking', 'thinking'],
  ['thought', 'thinking'],
  ['reasoning', 'thinking'],
  ['metadata', 'other'],
  ['document', 'document'],
  ['search_result', 'document'],
  ['input_file', 'document'],
  ['file', 'document'],
]);

export function placeIn(object: JsonObject, name: string, place: TextPlace): TextPlace {
  const field = objectFields.get(object.type) ?? fieldByType(object) ?? objectFields.get(name);
  return field === undefined || field === place.field || place.field === 'tool-description'
    ? place
    : { ...place, field };
}

function fieldByType({ type, role }: JsonObject): TextField | undefined {
  if (role === 'tool' || role === 'function') return 'tool-result';
  if (typeof type !== 'string') return undefined;
  if (/_(result|output)$/.test(type)) return 'tool-result';
  return /_(use|call)$/.test(type) ? 'tool-arguments' : undefined;
}
