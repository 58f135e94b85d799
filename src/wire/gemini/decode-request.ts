import type { ChatRequest, OutputConfig, OutputFormat } from '../../kernel/message.ts';
import type { RoutingFields } from '../../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { checkModel, invalidRequestError } from '../check-messages.ts';
import { toExtensions } from '../foreign.ts';
import { numberOf, objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { decodeContents, decodeSystem } from './decode-contents.ts';
import { decodeChoice, decodeTools } from './decode-tools.ts';
import { decodeExtensionFields } from './extension-fields.ts';
import { objectListIn, readField } from './fields.ts';
import { toJsonSchema } from './json-schema.ts';

/** The model is in the path; without one, as in a batch, it may be in the body. */
export function decodeRequest(clientBody: JsonObject, routing?: RoutingFields): ChatRequest {
  // A token count request may have the call in its own field.
  const body = objectOf(readField(clientBody, 'generateContentRequest')) ?? clientBody;
  const model = checkModel({ model: routing?.model ?? stringOf(body.model)?.replace(/^models\//, '') });
  const contents = checkContents(body);
  const config = objectOf(readField(body, 'generationConfig')) ?? {};
  const extensionFields = decodeExtensionFields(body);
  const stream = routing?.stream ?? body.stream;
  return omitUndefined({
    model,
    system: decodeSystem(body),
    messages: decodeContents(contents, { extensionFields, model: model.replace(/^.*\//, '') }),
    max_tokens: outputLimitOf(config),
    stream: stream === true ? true : undefined,
    tools: decodeTools(body),
    tool_choice: decodeChoice(body, extensionFields),
    temperature: numberOf(config.temperature),
    top_p: numberOf(readField(config, 'topP')),
    top_k: numberOf(readField(config, 'topK')),
    stop_sequences: stopSequencesOf(config),
    output_config: outputConfigOf(config),
    extensions: toExtensions('gemini', extensionFields),
  });
}

function checkContents(body: JsonObject): readonly JsonObject[] {
  const contents = objectListIn(body, 'contents');
  if (contents.length === 0) throw invalidRequestError('contents', 'a list of contents is required');
  const list = readField(body, 'contents');
  if (Array.isArray(list) && list.length !== contents.length)
    throw invalidRequestError('contents', 'every item must be an object');
  for (const [at, content] of contents.entries()) {
    const parts = readField(content, 'parts');
    if (parts === undefined || isJsonObject(parts) || (Array.isArray(parts) && parts.every(isJsonObject)))
      continue;
    throw invalidRequestError(`contents.${at}.parts`, 'a list of parts is required');
  }
  return contents;
}

function outputLimitOf(config: JsonObject): number | undefined {
  const value = readField(config, 'maxOutputTokens');
  if (value === undefined) return undefined;
  // Integers may be strings: https://protobuf.dev/programming-guides/json.
  const limit = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (!Number.isInteger(limit) || Number(limit) < 1)
    throw invalidRequestError('generationConfig.maxOutputTokens', 'must be an integer of at least 1');
  return Number(limit);
}

function stopSequencesOf(config: JsonObject): readonly string[] | undefined {
  const stops = readField(config, 'stopSequences');
  return Array.isArray(stops) ? stops.filter((stop) => typeof stop === 'string') : undefined;
}

function outputConfigOf(config: JsonObject): OutputConfig | undefined {
  const effort = effortOf(objectOf(readField(config, 'thinkingConfig')) ?? {});
  const format = outputFormatOf(config);
  return effort === undefined && format === undefined ? undefined : omitUndefined({ effort, format });
}

/** The effort level, which all formats know; a budget of -1 leaves it to the model. */
function effortOf(thinking: JsonObject): string | undefined {
  const level = stringOf(readField(thinking, 'thinkingLevel'))?.toLowerCase();
  if (level !== undefined && thinkingLevels.has(level)) return level;
  const budget = numberOf(readField(thinking, 'thinkingBudget'));
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return 'none';
  if (budget <= 2048) return 'low';
  return budget <= 8192 ? 'medium' : 'high';
}

/** Google's levels, and those of other vendors' models. */
const thinkingLevels: ReadonlySet<string> = new Set(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

function outputFormatOf(config: JsonObject): OutputFormat | undefined {
  const written = objectOf(readField(config, 'responseJsonSchema'));
  const own = objectOf(readField(config, 'responseSchema'));
  const schema = written ?? (own === undefined ? undefined : toJsonSchema(own));
  if (schema !== undefined) return { type: 'json_schema', schema };
  return stringOf(readField(config, 'responseMimeType')) === 'application/json'
    ? { type: 'json_object' }
    : undefined;
}
