import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '../../../src/lib/json.ts';
import { anthropicMessages } from '../../../src/wire/index.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../src/wire/json-values.ts';
import { askedInMessages } from './asked/messages.ts';
import { continuedInMessages } from './continued.ts';
import { type Facts, inputOf, type Outcome } from './facts.ts';
import type { Asking, Format } from './formats.ts';

export const messages: Format = {
  api: 'anthropic.messages',
  wire: anthropicMessages,
  endpoint: /\/messages$/,
  provider: 'anthropic',
  sent: (body) => ({ path: '/v1/messages', body }),
  whole,
  streamed,
  asked: askedInMessages,
  continued: continuedInMessages,
  ask,
};

function whole(body: JsonObject): Outcome {
  if (body.type === 'error') return { error: stringOf(objectOf(body.error)?.message) ?? '' };
  const blocks = objectsOf(body.content);
  return {
    facts: { ...contentOf(blocks), stop: stringOf(body.stop_reason) ?? '', usage: usageOf(body.usage) },
  };
}

function contentOf(blocks: readonly JsonObject[]): Pick<Facts, 'text' | 'thinking' | 'calls'> {
  const uses = blocks.filter((block) => block.type === 'tool_use');
  return {
    text: blocks.map((block) => (block.type === 'text' ? (stringOf(block.text) ?? '') : '')).join(''),
    thinking: blocks.map((block) => stringOf(block.thinking) ?? '').join(''),
    calls: uses.map(({ id, name, input }) => ({ id: String(id), name: String(name), input })),
  };
}

function usageOf(usage: unknown): Facts['usage'] {
  const count = (field: string) => numberOf(objectOf(usage)?.[field]) ?? 0;
  const cached = count('cache_read_input_tokens');
  const written = count('cache_creation_input_tokens');
  return { input: count('input_tokens') + cached + written, cached, written, output: count('output_tokens') };
}

function streamed(frames: readonly JsonObject[]): Outcome {
  const blocks: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();
  let usage: JsonObject = {};
  let stop = '';
  const count = (update: unknown) => {
    const told = Object.entries(objectOf(update) ?? {}).filter(([, value]) => value !== null);
    usage = { ...usage, ...Object.fromEntries(told) };
  };
  for (const frame of frames) {
    const at = numberOf(frame.index) ?? 0;
    const delta = objectOf(frame.delta) ?? {};
    if (frame.type === 'error') return { error: stringOf(objectOf(frame.error)?.message) ?? '' };
    if (frame.type === 'message_start') count(objectOf(frame.message)?.usage);
    if (frame.type === 'content_block_start') blocks[at] = { ...objectOf(frame.content_block) };
    const block = blocks[at];
    if (delta.type === 'text_delta' && block !== undefined)
      block.text = `${block.text ?? ''}${stringOf(delta.text) ?? ''}`;
    if (delta.type === 'thinking_delta' && block !== undefined)
      block.thinking = `${block.thinking ?? ''}${stringOf(delta.thinking) ?? ''}`;
    if (delta.type === 'input_json_delta')
      inputs.set(at, (inputs.get(at) ?? '') + (stringOf(delta.partial_json) ?? ''));
    if (frame.type === 'message_delta') {
      stop = stringOf(delta.stop_reason) ?? stop;
      count(frame.usage);
    }
  }
  for (const [at, json] of inputs) blocks[at] = { ...blocks[at], input: inputOf(json) };
  return { facts: { ...contentOf(blocks.filter(Boolean)), stop, usage: usageOf(usage) } };
}

async function ask({ url, body, stream }: Asking): Promise<JsonObject> {
  // With a time-out of its own the SDK doesn't insist on streaming where much may be answered.
  const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0, timeout: 600_000 });
  const asked: Anthropic.MessageCreateParamsNonStreaming = JSON.parse(JSON.stringify(body));
  if (!stream) return { ...(await client.messages.create(asked)) };
  const inputs = new Map<number, string>();
  const streaming = client.messages.stream(asked).on('streamEvent', (event) => {
    if (event.type !== 'content_block_delta' || event.delta.type !== 'input_json_delta') return;
    inputs.set(event.index, (inputs.get(event.index) ?? '') + event.delta.partial_json);
  });
  const message = await streaming.finalMessage();
  // The helper mends arguments that were cut off, which is not what the model said.
  const content = message.content.map((block, at) =>
    block.type === 'tool_use' && inputs.has(at) ? { ...block, input: inputOf(inputs.get(at)) } : block,
  );
  return { ...message, content };
}
