import { GoogleGenAI, type Interactions } from '@google/genai';
import type { JsonObject } from '../../../src/lib/json.ts';
import { geminiInteractions } from '../../../src/wire/index.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../src/wire/json-values.ts';
import { askedInInteractions } from './asked/interactions.ts';
import { continuedInInteractions } from './continued.ts';
import { type Facts, inputOf, type Outcome, withObject } from './facts.ts';
import type { Asking, Format } from './formats.ts';

export const interactions: Format = {
  api: 'gemini.interactions',
  wire: geminiInteractions,
  endpoint: /\/interactions$/,
  provider: 'gemini',
  sent: (body) => ({ path: '/v1beta/interactions', body }),
  whole,
  streamed,
  asked: askedInInteractions,
  continued: continuedInInteractions,
  ask,
};

function whole(body: JsonObject): Outcome {
  if (body.error != null) return { error: stringOf(objectOf(body.error)?.message) ?? '' };
  const steps = objectsOf(body.steps);
  const texts = (type: string, field: string) =>
    steps.flatMap((step) => (step.type === type ? objectsOf(step[field]) : [])).map(({ text }) => text ?? '');
  const calls = steps.flatMap(({ type, id, name, arguments: args }) =>
    type === 'function_call' ? [{ id: String(id), name: String(name), input: inputOf(args) }] : [],
  );
  const facts: Facts = {
    text: texts('model_output', 'content').join(''),
    thinking: texts('thought', 'summary').join(''),
    calls: calls.map(withObject),
    stop: stopOf(body),
    usage: usageOf(objectOf(body.usage) ?? {}),
  };
  return { facts };
}

function stopOf({ status, errors }: JsonObject): string {
  if (status === 'incomplete') return objectsOf(errors).length > 0 ? 'refusal' : 'max_tokens';
  return status === 'requires_action' ? 'tool_use' : 'end_turn';
}

function usageOf(usage: JsonObject): Facts['usage'] {
  const count = (name: string) => numberOf(usage[name]) ?? 0;
  return {
    input: count('total_input_tokens'),
    cached: count('total_cached_tokens'),
    written: 0,
    output: count('total_output_tokens') + count('total_thought_tokens'),
  };
}

/** The steps, put together from their pieces, in the interaction of the last event. */
function joined(frames: readonly JsonObject[]): JsonObject {
  const steps: Record<string, unknown>[] = [];
  for (const { event_type, index, step, delta } of frames) {
    if (event_type === 'step.start') steps[Number(index)] = { ...objectOf(step) };
    const open = steps[Number(index)];
    if (event_type !== 'step.delta' || open === undefined) continue;
    const { type, content, signature, arguments: json, ...part } = objectOf(delta) ?? {};
    if (type === 'thought_summary') open.summary = [...objectsOf(open.summary), content];
    else if (type === 'thought_signature') open.signature = signature;
    else if (type === 'arguments_delta') open.arguments = `${stringOf(open.arguments) ?? ''}${json}`;
    else if (type === 'text') open.content = [...objectsOf(open.content), { type, ...part }];
  }
  const end = frames.findLast(({ event_type }) => event_type === 'interaction.completed');
  const error = frames.find(({ event_type }) => event_type === 'error');
  return { ...objectOf(end?.interaction), ...(error && { error: error.error }), steps: steps.map(parsed) };
}

function parsed(step: JsonObject): JsonObject {
  return typeof step.arguments === 'string' ? { ...step, arguments: inputOf(step.arguments) } : step;
}

function streamed(frames: readonly JsonObject[]): Outcome {
  return whole(joined(frames));
}

async function ask({ url, body, stream }: Asking): Promise<JsonObject> {
  const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url } });
  const asked: Interactions.CreateModelInteractionParamsNonStreaming = JSON.parse(JSON.stringify(body));
  const once = { maxRetries: 0 };
  if (!stream) return { ...(await client.interactions.create({ ...asked, stream: false }, once)) };
  const frames: JsonObject[] = [];
  for await (const event of await client.interactions.create({ ...asked, stream: true }, once))
    frames.push({ ...event });
  return joined(frames);
}
