import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { ChatRequest, OutputConfig, OutputFormat } from '../../kernel/message.ts';
import type { AskedFor } from '../../kernel/wire-format.ts';
import { checkModel, refuse } from '../check-messages.ts';
import { extensionsFor } from '../foreign.ts';
import { defined, numberOf, objectOf, stringOf } from '../read.ts';
import { decodeContents, decodeSystem } from './decode-contents.ts';
import { decodeChoice, decodeTools } from './decode-tools.ts';
import { field, listIn } from './fields.ts';
import { lossesOf } from './own-fields.ts';
import { jsonSchemaOf } from './schema.ts';

/** The path names the model; where there is none, as in a batch, the body may. */
export function decodeRequest(given: JsonObject, asked?: AskedFor): ChatRequest {
  // To be counted, a call may stand in a field of its own.
  const body = objectOf(field(given, 'generateContentRequest')) ?? given;
  const model = checkModel({ model: asked?.model ?? stringOf(body.model)?.replace(/^models\//, '') });
  const contents = checkedContents(body);
  const config = objectOf(field(body, 'generationConfig')) ?? {};
  const losses = lossesOf(body);
  const stream = asked?.stream ?? body.stream;
  return defined({
    model,
    system: decodeSystem(body),
    messages: decodeContents(contents, { losses, model: model.replace(/^.*\//, '') }),
    max_tokens: limitIn(config),
    stream: stream === true ? true : undefined,
    tools: decodeTools(body),
    tool_choice: decodeChoice(body, losses),
    temperature: numberOf(config.temperature),
    top_p: numberOf(field(config, 'topP')),
    top_k: numberOf(field(config, 'topK')),
    stop_sequences: stopsIn(config),
    output_config: outputConfigOf(config),
    extensions: extensionsFor('gemini', losses),
  });
}

function checkedContents(body: JsonObject): readonly JsonObject[] {
  const contents = listIn(body, 'contents');
  if (contents.length === 0) throw refuse('contents', 'a list of contents is required');
  const given = field(body, 'contents');
  if (Array.isArray(given) && given.length !== contents.length)
    throw refuse('contents', 'each of them must be an object');
  for (const [at, content] of contents.entries()) {
    const parts = field(content, 'parts');
    if (parts === undefined || isJsonObject(parts) || (Array.isArray(parts) && parts.every(isJsonObject)))
      continue;
    throw refuse(`contents.${at}.parts`, 'a list of parts is required');
  }
  return contents;
}

function limitIn(config: JsonObject): number | undefined {
  const given = field(config, 'maxOutputTokens');
  if (given === undefined) return undefined;
  // Whole numbers may stand in strings: https://protobuf.dev/programming-guides/json.
  const limit = typeof given === 'string' && given !== '' ? Number(given) : given;
  if (!Number.isInteger(limit) || Number(limit) < 1)
    throw refuse('generationConfig.maxOutputTokens', 'must be a whole number of 1 or more');
  return Number(limit);
}

function stopsIn(config: JsonObject): readonly string[] | undefined {
  const stops = field(config, 'stopSequences');
  return Array.isArray(stops) ? stops.filter((stop) => typeof stop === 'string') : undefined;
}

function outputConfigOf(config: JsonObject): OutputConfig | undefined {
  const effort = effortIn(objectOf(field(config, 'thinkingConfig')) ?? {});
  const format = formatIn(config);
  return effort === undefined && format === undefined ? undefined : defined({ effort, format });
}

/** As a level, which all others know; a budget of -1 leaves it to the model. */
function effortIn(thinking: JsonObject): string | undefined {
  const level = stringOf(field(thinking, 'thinkingLevel'))?.toLowerCase();
  if (level !== undefined && levels.has(level)) return level;
  const budget = numberOf(field(thinking, 'thinkingBudget'));
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return 'none';
  if (budget <= 2048) return 'low';
  return budget <= 8192 ? 'medium' : 'high';
}

/** Google's own, and those of others who may be asked. */
const levels: ReadonlySet<string> = new Set(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

function formatIn(config: JsonObject): OutputFormat | undefined {
  const written = objectOf(field(config, 'responseJsonSchema'));
  const own = objectOf(field(config, 'responseSchema'));
  const schema = written ?? (own === undefined ? undefined : jsonSchemaOf(own));
  if (schema !== undefined) return { type: 'json_schema', schema };
  return stringOf(field(config, 'responseMimeType')) === 'application/json'
    ? { type: 'json_object' }
    : undefined;
}
