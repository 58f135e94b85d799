import { hash } from 'node:crypto';
import { GatewayError } from '../../src/kernel/errors.ts';
import type {
  Answer,
  Block,
  ChatRequest,
  Message,
  ReplyEvent,
  Tool,
  Usage,
} from '../../src/kernel/message.ts';
import { Reply } from '../../src/kernel/reply/reply.ts';
import { isJsonObject } from '../../src/lib/json.ts';

/** A session of an agent that is simulated from a seed. */
export interface SessionOptions {
  readonly seed: number;
  readonly calls: number;
  /** The average size of a tool result, in tokens. */
  readonly resultTokens: number;
  readonly toolsTokens: number;
  /** The share of calls that come after the provider's cache has expired. */
  readonly pauses: number;
  /** Whether the client sets cache markers. */
  readonly isMarked: boolean;
  /** The client replaces its conversation with a summary at this size, in tokens. */
  readonly compactsAtTokens?: number;
  /** The edits that the client requests from the provider. */
  readonly contextManagement?: ChatRequest['context_management'];
}

export interface TimedRequest {
  readonly request: ChatRequest;
  readonly atSeconds: number;
}

/** Prices in dollars per million tokens. */
export interface SimulatedPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const charsPerToken = 3.6;
const cacheSeconds = 300;
const cacheMinTokens = 1024;
/** A provider looks for an earlier write at a marked block and the 19 before it. */
const lookbackBlocks = 20;

/** The requests of a session, in order. */
export function* simulateSession(options: SessionOptions): Generator<TimedRequest> {
  const random = seeded(options.seed);
  const tools = toolsOf(options.toolsTokens);
  const system = wordsOf(random, 300);
  let messages: Message[] = [{ role: 'user', content: [textOf(`Task: ${wordsOf(random, 60)}`)] }];
  let atSeconds = 0;
  for (let call = 0; call < options.calls; call++) {
    atSeconds += random() < options.pauses ? 2 * cacheSeconds : 5 + Math.floor(random() * 40);
    const size = sizeOf([tools, messages]);
    if (options.compactsAtTokens !== undefined && size > options.compactsAtTokens) {
      const summary = textOf(`Summary ${call}: ${wordsOf(random, 500)}`);
      messages = [{ role: 'user', content: [summary] }];
    }
    const { contextManagement, isMarked } = options;
    yield {
      atSeconds,
      request: {
        model: 'demo-1',
        max_tokens: 500,
        tools,
        system: [{ type: 'text', text: system, ...(isMarked && mark) }],
        messages: isMarked ? withMarkedEnd(messages) : [...messages],
        ...(contextManagement !== undefined && { context_management: contextManagement }),
      },
    };
    const isTurnEnd = random() < 0.15;
    const words = textOf(wordsOf(random, 20 + Math.floor(random() * 60)));
    const use: Block = {
      type: 'tool_use',
      id: `call_${call}`,
      name: 'tool_0',
      input: { path: `src/part-${call}.ts`, why: wordsOf(random, 12) },
    };
    messages.push({ role: 'assistant', content: isTurnEnd ? [words] : [words, use] });
    const tokens = options.resultTokens * (0.2 + 2.4 * random() ** 2.5);
    const result: Block = {
      type: 'tool_result',
      tool_use_id: use.id,
      content: linesOf(random, Math.ceil(tokens * charsPerToken)),
    };
    messages.push({ role: 'user', content: isTurnEnd ? [textOf(wordsOf(random, 80))] : [result] });
  }
}

const mark = { cache_control: { type: 'ephemeral' as const } };

function withMarkedEnd(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, at) => {
    const blocks = typeof message.content === 'string' ? [] : message.content;
    const end = blocks.at(-1);
    if (at < messages.length - 1 || end === undefined) return message;
    return { ...message, content: [...blocks.slice(0, -1), { ...end, ...mark }] };
  });
}

function toolsOf(tokens: number): readonly Tool[] {
  const description = 'Reads, changes and checks files of a project in many ways. '.repeat(8);
  return Array.from({ length: Math.max(1, Math.round((tokens * charsPerToken) / 560)) }, (_, at) => ({
    name: `tool_${at}`,
    description,
    input_schema: { type: 'object' },
  }));
}

const vocabulary =
  'parser token module error value result index request stream buffer cache table field branch commit review deploy config server client retry limit queue worker signal socket header schema column record update select insert delete merge build check release version error failed total count start offset length before after while until because therefore decided open closed'.split(
    ' ',
  );

function wordsOf(random: () => number, count: number): string {
  return Array.from({ length: count }, () => {
    const word = vocabulary[Math.floor(random() * vocabulary.length)] ?? '';
    return random() < 0.1 ? `${word}${Math.floor(random() * 1000)}` : word;
  }).join(' ');
}

function linesOf(random: () => number, chars: number): string {
  const lines: string[] = [];
  for (let left = chars; left > 0; left -= (lines.at(-1)?.length ?? 0) + 1)
    lines.push(`${lines.length + 1}: ${wordsOf(random, 8)};`.slice(0, Math.max(4, left)));
  return lines.join('\n');
}

function textOf(text: string): Block {
  return { type: 'text', text };
}

/** A provider with a prompt cache, which bills what it reads and writes, and rejects requests above its window. */
export class SimulatedProvider {
  dollars = 0;
  /** The input of the latest request, in tokens. */
  tokens = 0;
  atSeconds = 0;
  readonly #prices: SimulatedPrices;
  readonly #windowTokens: number;
  /** When the cached prefixes expire, by their digests. */
  readonly #expiries = new Map<string, number>();

  constructor(prices: SimulatedPrices, windowTokens: number) {
    this.#prices = prices;
    this.#windowTokens = windowTokens;
  }

  /** Whether a request fits into the window. */
  accepts(request: ChatRequest): boolean {
    const { messages } = applyEdits(request);
    const tokens = prefixesOf({ ...request, messages }).at(-1)?.tokens ?? 0;
    return tokens + (request.max_tokens ?? 0) <= this.#windowTokens;
  }

  answer(request: ChatRequest): Reply {
    if (!this.accepts(request))
      throw new GatewayError('upstream_error', 'prompt is too long', {
        status: 400,
        providerCode: 'context_length_exceeded',
      });
    const { messages, clearedTokens, clearedUses } = applyEdits(request);
    const usage = this.#bill({ ...request, messages });
    return Reply.stream(
      eventsOf(usage, clearedUses === 0 ? [] : [{ ...clearing, clearedTokens, clearedUses }]),
    );
  }

  #bill(request: ChatRequest): Usage {
    const prefixes = prefixesOf(request);
    this.tokens = prefixes.at(-1)?.tokens ?? 0;
    const { read, end } = this.#useCache(prefixes);
    const { input, cacheRead, cacheWrite } = this.#prices;
    this.dollars += (read * cacheRead + (end - read) * cacheWrite + (this.tokens - end) * input) / 1e6;
    return {
      input_tokens: Math.round(this.tokens - end),
      cache_read_input_tokens: Math.round(read),
      // Providers without a price for writing report no writes.
      ...(cacheWrite > input && { cache_creation_input_tokens: Math.round(end - read) }),
      ...(cacheWrite <= input && { input_tokens: Math.round(this.tokens - read) }),
      output_tokens: 50,
    };
  }

  /** Without markers, everything is cached. */
  #useCache(prefixes: readonly CachePrefix[]): { readonly read: number; readonly end: number } {
    const isMarked = prefixes.some((prefix) => prefix.isMarked);
    const places = prefixes.filter((prefix) => prefix.isMarked || !isMarked);
    const isAlive = ({ digest, tokens }: CachePrefix) =>
      tokens >= cacheMinTokens && (this.#expiries.get(digest) ?? -1) >= this.atSeconds;
    const isReached = (at: number) => prefixes.slice(at, at + lookbackBlocks).some((one) => one.isMarked);
    const hit = prefixes.findLast((prefix, at) => isAlive(prefix) && (!isMarked || isReached(at)));
    const kept = places.filter(({ tokens }) => tokens >= cacheMinTokens);
    for (const { digest } of [...kept, ...(hit === undefined ? [] : [hit])])
      this.#expiries.set(digest, this.atSeconds + cacheSeconds);
    const read = hit?.tokens ?? 0;
    return { read, end: Math.max(read, kept.at(-1)?.tokens ?? 0) };
  }
}

interface CachePrefix {
  readonly digest: string;
  readonly tokens: number;
  readonly isMarked: boolean;
}

function prefixesOf({ tools = [], system = [], messages }: ChatRequest): readonly CachePrefix[] {
  const blocks = [
    ...tools,
    ...(typeof system === 'string' ? [textOf(system)] : system),
    ...messages.flatMap(({ content }) => (typeof content === 'string' ? [textOf(content)] : content)),
  ];
  let [digest, tokens] = ['', 0];
  return blocks.map((block) => {
    const { json, own } = jsonOf(block);
    digest = hash('sha1', `${digest}${own}`, 'base64');
    tokens += json / charsPerToken;
    return { digest, tokens, isMarked: 'cache_control' in block && block.cache_control != null };
  });
}

const jsonCache = new WeakMap<object, { readonly json: number; readonly own: string }>();

function jsonOf(block: Tool | Block): { readonly json: number; readonly own: string } {
  const known = jsonCache.get(block);
  if (known !== undefined) return known;
  const text = JSON.stringify({ ...block, cache_control: undefined });
  const made = { json: text.length, own: hash('sha1', text, 'base64') };
  jsonCache.set(block, made);
  return made;
}

function sizeOf(parts: readonly unknown[]): number {
  return JSON.stringify(parts).length / charsPerToken;
}

const clearing = { type: 'clear_tool_uses_20250919' };

/** Clears tool results as the request demands: above `trigger`, all but the `keep` latest. */
function applyEdits({ messages, context_management }: ChatRequest) {
  const edits = Array.isArray(context_management?.edits) ? context_management.edits : [];
  const edit = edits.filter(isJsonObject).find(({ type }) => type === clearing.type);
  const [trigger, keep] = [numberIn(edit?.trigger), numberIn(edit?.keep) ?? 3];
  const isDue =
    edit !== undefined &&
    (isJsonObject(edit.trigger) && edit.trigger.type === 'tool_uses'
      ? countResults(messages) > (trigger ?? 0)
      : sizeOf(messages) > (trigger ?? 100_000));
  let left = isDue ? Math.max(0, countResults(messages) - keep) : 0;
  let clearedTokens = 0;
  const clearedUses = left;
  const cleared = messages.map((message): Message => {
    if (left === 0 || typeof message.content === 'string') return message;
    const content = message.content.map((block): Block => {
      if (block.type !== 'tool_result' || left === 0) return block;
      left--;
      clearedTokens += sizeOf([block.content]);
      return { ...block, content: '' };
    });
    return { ...message, content };
  });
  return { messages: clearedUses === 0 ? messages : cleared, clearedTokens, clearedUses };
}

function numberIn(value: unknown): number | undefined {
  return isJsonObject(value) && typeof value.value === 'number' ? value.value : undefined;
}

function countResults(messages: readonly Message[]): number {
  return messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter(({ type }) => type === 'tool_result').length;
}

interface AppliedEdit {
  readonly type: string;
  readonly clearedTokens: number;
  readonly clearedUses: number;
}

async function* eventsOf(usage: Usage, applied: readonly AppliedEdit[]): AsyncGenerator<ReplyEvent> {
  const message: Answer = {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'demo-1',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  yield { type: 'message_start', message };
  const context_management = {
    applied_edits: applied.map(({ type, clearedTokens, clearedUses }) => ({
      type,
      cleared_input_tokens: Math.round(clearedTokens),
      cleared_tool_uses: clearedUses,
    })),
  };
  const delta = { stop_reason: 'end_turn' as const, stop_sequence: null };
  yield Object.assign({ type: 'message_delta' as const, delta, usage }, { context_management });
  yield { type: 'message_stop' };
}

/** The same numbers for the same seed, from 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed * 2_654_435_769;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
