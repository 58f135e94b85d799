import type { Framing } from '../../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { SseParser } from '../sse.ts';

interface FramedResponse {
  readonly framing: Framing;
  readonly body: Uint8Array;
}

/** A complete response in the other framing, with the provider's items, ids and fields; undefined if unreadable. */
export function reframeResponse({ framing, body }: FramedResponse, wanted: Framing): Uint8Array | undefined {
  if (framing === wanted) return body;
  const response =
    framing === 'sse' ? responseIn(framesOf(body)) : tryParseObject(Buffer.from(body).toString('utf8'));
  if (response === undefined) return undefined;
  return Buffer.from(wanted === 'json' ? JSON.stringify(response) : streamOf(response));
}

function framesOf(body: Uint8Array): readonly JsonObject[] {
  const parser = new SseParser();
  const frames = [...parser.push(body), ...parser.end()].map(({ data }) => tryParseObject(data));
  return frames.filter((frame) => frame !== undefined);
}

function tryParseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The last event of a stream has the complete response; some providers omit its items there. */
function responseIn(frames: readonly JsonObject[]): JsonObject | undefined {
  const response = objectOf(frames.findLast(({ type }) => type === 'response.completed')?.response);
  if (response === undefined || objectsOf(response.output).length > 0) return response;
  const done = frames.filter(({ type }) => type === 'response.output_item.done');
  return { ...response, output: done.map(({ item }) => item) };
}

type Emit = (type: string, fields: JsonObject) => void;

/** The events of a complete response, from the one with this number on. */
export function streamOf(response: JsonObject, first = 0): string {
  let text = '';
  let sequence_number = 0;
  const emit: Emit = (type, fields) => {
    const frame = { type, sequence_number: sequence_number++, ...fields };
    if (frame.sequence_number >= first) text += `event: ${type}\ndata: ${JSON.stringify(frame)}\n\n`;
  };
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  emit('response.created', { response: begun });
  emit('response.in_progress', { response: begun });
  for (const [output_index, item] of objectsOf(response.output).entries()) {
    emit('response.output_item.added', { output_index, item: withoutContent(item) });
    emitContent(item, { item_id: item.id, output_index }, emit);
    emit('response.output_item.done', { output_index, item });
  }
  const { status } = response;
  emit(`response.${status === 'incomplete' || status === 'failed' ? status : 'completed'}`, { response });
  return text;
}

/** An item before its first content. */
function withoutContent(item: JsonObject): JsonObject {
  const before: JsonObject = { status: 'in_progress', content: [], summary: [], arguments: '', input: '' };
  const fields = Object.entries(item).map(([name, value]) => [
    name,
    name in before && value !== null && typeof value === typeof before[name] ? before[name] : value,
  ]);
  return Object.fromEntries(fields);
}

function emitContent(item: JsonObject, position: JsonObject, emit: Emit): void {
  for (const [content_index, part] of objectsOf(item.content).entries())
    emitPart(part, { ...position, content_index }, emit);
  for (const [summary_index, part] of objectsOf(item.summary).entries()) {
    const at = { ...position, summary_index };
    const text = stringOf(part.text) ?? '';
    emit('response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } });
    emit('response.reasoning_summary_text.delta', { ...at, delta: text });
    emit('response.reasoning_summary_text.done', { ...at, text });
    emit('response.reasoning_summary_part.done', { ...at, part });
  }
  if (item.type === 'function_call') {
    emit('response.function_call_arguments.delta', { ...position, delta: item.arguments });
    emit('response.function_call_arguments.done', {
      ...position,
      name: item.name,
      arguments: item.arguments,
    });
  }
  if (item.type === 'custom_tool_call') {
    emit('response.custom_tool_call_input.delta', { ...position, delta: item.input });
    emit('response.custom_tool_call_input.done', { ...position, input: item.input });
  }
}

/** Event name and text field by part type. */
const eventByPartType: Readonly<Record<string, readonly [event: string, field: string]>> = {
  output_text: ['output_text', 'text'],
  reasoning_text: ['reasoning_text', 'text'],
  refusal: ['refusal', 'refusal'],
};

function emitPart(part: JsonObject, at: JsonObject, emit: Emit): void {
  const [event, field] = eventByPartType[stringOf(part.type) ?? ''] ?? [];
  if (event === undefined || field === undefined) {
    emit('response.content_part.added', { ...at, part });
    emit('response.content_part.done', { ...at, part });
    return;
  }
  const annotations = objectsOf(part.annotations);
  const logprobs = event === 'output_text' ? { logprobs: part.logprobs ?? [] } : {};
  const empty = 'annotations' in part ? { annotations: [] } : {};
  emit('response.content_part.added', { ...at, part: { ...part, [field]: '', ...empty } });
  emit(`response.${event}.delta`, { ...at, delta: part[field], ...logprobs });
  for (const [annotation_index, annotation] of annotations.entries())
    emit('response.output_text.annotation.added', { ...at, annotation_index, annotation });
  emit(`response.${event}.done`, { ...at, [field]: part[field], ...logprobs });
  emit('response.content_part.done', { ...at, part });
}
