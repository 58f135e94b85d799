import OpenAI from 'openai';
import type { JsonObject } from '../../../src/lib/json.ts';
import { openaiResponses } from '../../../src/wire/index.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../src/wire/json-values.ts';
import { askedInResponses } from './asked/responses.ts';
import { continuedInResponses } from './continued.ts';
import { type Call, type Facts, inputOf, type Outcome } from './facts.ts';
import type { Asking, Format } from './formats.ts';

export const responses: Format = {
  api: 'openai.responses',
  wire: openaiResponses,
  endpoint: /\/responses$/,
  provider: 'openai',
  sent: (body) => ({ path: '/v1/responses', body }),
  whole,
  streamed,
  asked: askedInResponses,
  continued: continuedInResponses,
  ask,
};

function whole(body: JsonObject): Outcome {
  if (body.error != null || body.status === 'failed')
    return { error: stringOf(objectOf(body.error)?.message) ?? '' };
  const output = objectsOf(body.output);
  const parts = output.flatMap((item) => (item.type === 'message' ? objectsOf(item.content) : []));
  const refusal = parts.map((part) => stringOf(part.refusal) ?? '').join('');
  const calls = output.flatMap(callsOf);
  const facts: Facts = {
    text: parts.map((part) => stringOf(part.text) ?? stringOf(part.refusal) ?? '').join(''),
    thinking: output.map((item) => (item.type === 'reasoning' ? thoughtIn(item) : '')).join(''),
    calls,
    stop: stopOf(body, refusal !== '', calls.length > 0),
    usage: usageOf(objectOf(body.usage) ?? {}),
  };
  return { facts };
}

/** A summary in parts; open models show the reasoning itself. */
function thoughtIn({ summary, content }: JsonObject): string {
  const parts = objectsOf(summary).length > 0 ? objectsOf(summary) : objectsOf(content);
  return parts.map((part) => stringOf(part.text) ?? '').join('\n\n');
}

function callsOf(item: JsonObject): readonly Call[] {
  const call = { id: stringOf(item.call_id) ?? '', name: stringOf(item.name) ?? '' };
  if (item.type === 'function_call') return [{ ...call, input: inputOf(item.arguments) }];
  return item.type === 'custom_tool_call' ? [{ ...call, input: { input: item.input } }] : [];
}

function stopOf(body: JsonObject, refused: boolean, called: boolean): string {
  if (body.status === 'queued' || body.status === 'in_progress') return '';
  if (body.status === 'incomplete')
    return objectOf(body.incomplete_details)?.reason === 'content_filter' ? 'refusal' : 'max_tokens';
  if (refused) return 'refusal';
  return called ? 'tool_use' : 'end_turn';
}

function usageOf(usage: JsonObject): Facts['usage'] {
  const details = objectOf(usage.input_tokens_details) ?? {};
  return {
    input: numberOf(usage.input_tokens) ?? 0,
    cached: numberOf(details.cached_tokens) ?? 0,
    written: numberOf(details.cache_write_tokens) ?? 0,
    output: numberOf(usage.output_tokens) ?? 0,
  };
}

/** The last event has the whole answer again; where its items are left out, they came one by one. */
function streamed(frames: readonly JsonObject[]): Outcome {
  const error = frames.find((frame) => frame.type === 'error');
  if (error !== undefined)
    return { error: stringOf(error.message) ?? stringOf(objectOf(error.error)?.message) ?? '' };
  const last = frames.findLast((frame) => ends.has(String(frame.type)));
  const response = objectOf(last?.response) ?? {};
  const items = frames.filter((frame) => frame.type === 'response.output_item.done').map(({ item }) => item);
  return whole(objectsOf(response.output).length > 0 ? response : { ...response, output: items });
}

const ends: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

async function ask({ url, body, stream }: Asking): Promise<JsonObject> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  const asked: OpenAI.Responses.ResponseCreateParamsNonStreaming = JSON.parse(JSON.stringify(body));
  if (!stream) return { ...(await client.responses.create(asked)) };
  return { ...(await client.responses.stream({ ...asked, stream: true }).finalResponse()) };
}
