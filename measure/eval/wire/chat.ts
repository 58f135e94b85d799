import OpenAI from 'openai';
import type { JsonObject } from '../../../src/lib/json.ts';
import { openaiChat } from '../../../src/wire/index.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../src/wire/json-values.ts';
import { askedInChat } from './asked/chat.ts';
import { continuedInChat } from './continued.ts';
import { type Call, type Facts, inputOf, type Outcome } from './facts.ts';
import type { Asking, Format } from './formats.ts';

export const chat: Format = {
  api: 'openai.chat',
  wire: openaiChat,
  endpoint: /\/chat\/completions$/,
  provider: 'recorded',
  sent: (body) => ({ path: '/v1/chat/completions', body }),
  whole,
  streamed,
  asked: askedInChat,
  continued: continuedInChat,
  ask,
};

function whole(body: JsonObject): Outcome {
  if (body.error != null) return { error: messageIn(body.error) };
  const [choice = {}] = objectsOf(body.choices);
  const message = objectOf(choice.message) ?? {};
  const calls = objectsOf(message.tool_calls).map((call) => {
    const called = objectOf(call.function) ?? {};
    return { id: stringOf(call.id) ?? '', name: String(called.name), input: inputOf(called.arguments) };
  });
  return { facts: factsOf({ ...said(message), calls, finish: choice.finish_reason, usage: body.usage }) };
}

function messageIn(error: unknown): string {
  return stringOf(objectOf(error)?.message) ?? String(error);
}

interface ChatMessage {
  readonly text: string;
  readonly thinking: string;
  readonly refusal: string;
}

/** Thinking has many names here, and stands beside the content or inside of it. */
function said({ content, refusal, ...beside }: JsonObject): ChatMessage {
  const parts = objectsOf(content);
  const within = parts.flatMap((part) => (part.type === 'thinking' ? objectsOf(part.thinking) : []));
  const thoughts = [...objectsOf(beside.reasoning_details), ...within];
  const texts = parts.filter((part) => part.type === 'text');
  return {
    text: stringOf(content) ?? texts.map(textIn).join(''),
    thinking:
      stringOf(beside.reasoning_content) ?? stringOf(beside.reasoning) ?? thoughts.map(textIn).join(''),
    refusal: stringOf(refusal) ?? '',
  };
}

function textIn({ text }: JsonObject): string {
  return stringOf(text) ?? '';
}

interface ChatReading extends ChatMessage {
  readonly calls: readonly Call[];
  readonly finish: unknown;
  readonly usage: unknown;
}

function factsOf({ text, thinking, refusal, calls, finish, usage }: ChatReading): Facts {
  const natural = refusal !== '' ? 'refusal' : calls.length > 0 ? 'tool_use' : 'end_turn';
  return {
    text: text + refusal,
    thinking,
    calls,
    stop: stops[String(finish)] ?? natural,
    usage: usageOf(objectOf(usage) ?? {}),
  };
}

const stops: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  model_length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/** Compatible providers have their own places for what was read from a cache. */
function usageOf(usage: JsonObject): Facts['usage'] {
  const details = objectOf(usage.prompt_tokens_details) ?? {};
  const input = numberOf(usage.prompt_tokens) ?? 0;
  const cached =
    numberOf(details.cached_tokens) ??
    numberOf(usage.cache_read_input_tokens) ??
    numberOf(usage.prompt_cache_hit_tokens) ??
    numberOf(usage.cached_tokens) ??
    numberOf(usage.num_cached_tokens) ??
    0;
  const written = numberOf(details.cache_write_tokens) ?? numberOf(usage.cache_creation_input_tokens) ?? 0;
  // Some count a token as read and as written; it can only have been sent once.
  const apart = Math.min(written, Math.max(0, input - cached));
  // Gemini leaves what it thought out of the completion: only the total has it.
  const output = Math.max(
    numberOf(usage.completion_tokens) ?? 0,
    (numberOf(usage.total_tokens) ?? 0) - input,
  );
  return { input, cached, written: apart, output };
}

function streamed(frames: readonly JsonObject[]): Outcome {
  const slots: { id: string; name: string; json: string }[] = [];
  let text = '';
  let thinking = '';
  let refusal = '';
  let finish: unknown;
  let usage: unknown;
  for (const frame of frames) {
    if (frame.error != null) return { error: messageIn(frame.error) };
    usage = frame.usage ?? objectOf(frame.x_groq)?.usage ?? usage;
    const choice = objectsOf(frame.choices).find(({ index }) => (index ?? 0) === 0);
    const delta = objectOf(choice?.delta) ?? {};
    const piece = said(delta);
    text += piece.text;
    thinking += piece.thinking;
    refusal += piece.refusal;
    finish = choice?.finish_reason || finish;
    for (const call of objectsOf(delta.tool_calls)) {
      const called = objectOf(call.function) ?? {};
      const name = stringOf(called.name) ?? '';
      const slot = slotFor(slots, call, name);
      slot.id ||= stringOf(call.id) ?? '';
      slot.name += name;
      slot.json += stringOf(called.arguments) ?? '';
    }
  }
  const calls = slots.filter(Boolean).map(({ id, name, json }) => ({ id, name, input: inputOf(json) }));
  return { facts: factsOf({ text, thinking, refusal, calls, finish, usage }) };
}

/** By index; some providers give every call the same one, or none, and tell them apart by their ids. */
function slotFor(slots: { id: string; name: string; json: string }[], call: JsonObject, name: string) {
  const id = stringOf(call.id) ?? '';
  const index = numberOf(call.index) ?? (id === '' ? slots.length - 1 : slots.length);
  const known = slots[index];
  const another = known !== undefined && id !== '' && name !== '' && known.id !== '' && known.id !== id;
  if (known !== undefined && !another) return known;
  const slot = { id: '', name: '', json: '' };
  slots[another ? slots.length : index] = slot;
  return slot;
}

async function ask({ url, body, stream }: Asking): Promise<JsonObject> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  const asked: OpenAI.ChatCompletionCreateParamsNonStreaming = JSON.parse(JSON.stringify(body));
  if (!stream) return { ...(await client.chat.completions.create(asked)) };
  const streaming = client.chat.completions.stream({
    ...asked,
    stream: true,
    stream_options: { include_usage: true },
  });
  let reasoning_content = '';
  streaming.on('chunk', (chunk) => {
    const thought = objectOf(objectsOf(objectOf(chunk)?.choices)[0]?.delta)?.reasoning_content;
    reasoning_content += stringOf(thought) ?? '';
  });
  const { choices, ...rest } = await streaming.finalChatCompletion();
  // The helper knows no reasoning, and keeps the last piece of it.
  const whole = choices.map((choice) => ({ ...choice, message: { ...choice.message, reasoning_content } }));
  return { ...rest, choices: whole };
}
