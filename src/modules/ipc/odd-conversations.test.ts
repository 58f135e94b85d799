import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { Answer, Block, ChatRequest, Message, ReplyEvent, Tool } from '../../kernel/message.ts';
import { blocksOf } from '../../kernel/message-blocks.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { compileCard } from '../../providers/catalog/price-sheet.ts';
import { type ModuleTestEnvironment, runModule } from '../../testing/run-module.ts';
import { ipc } from './ipc.ts';

const runs = Number(process.env.WEIR_IPC_RUNS ?? 4);
const turns = 50;
const mark = { cache_control: { type: 'ephemeral' as const } };
const tools: readonly Tool[] = [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }];

for (let run = 1; run <= runs; run++)
  test(`no request of an odd conversation is one that a provider would refuse (run ${run})`, () =>
    new Odd(run).talk());

/** A client, a provider that checks what it is sent, and time, all of which behave as a seed says. */
class Odd {
  readonly #random: () => number;
  readonly #run: ReturnType<typeof runModule>;
  readonly #clock = { nowMs: 1_000_000 };
  #messages: Message[] = [{ role: 'user', content: 'Begin with part 0.' }];
  #count = 0;
  #isMarking = false;

  constructor(seed: number) {
    this.#random = seeded(seed);
    const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
    const contextEditing = { wire: 'anthropic-messages', clearsToolUses: 'clear_tool_uses_20250919' };
    const prices: ModuleTestEnvironment['prices'] = {
      priceOf: () => ({
        card,
        estimated: false,
        contextTokens: 12_000,
        cacheSeconds: 300,
        ...(seed % 2 === 0 && { contextEditing }),
      }),
      bill: () => ({ nanoUsd: 0, estimated: false }),
    };
    const options = `target=${seed % 3 === 0 ? 1200 : 2500}&keep_turns=${1 + (seed % 4)}&holdout=${seed % 5 === 0 ? 0.5 : 0}`;
    const headers = seed % 2 === 0 ? ['x-weir-conversation', 'odd'] : [];
    const upstream = async ({ request }: { readonly request: ChatRequest }) => this.#answered(request);
    this.#run = runModule(
      ipc,
      { options, headers, upstream },
      { prices, clock: { now: () => this.#clock.nowMs } },
    );
  }

  async talk(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      this.#isMarking = this.#is(0.7);
      const request: ChatRequest = { model: 'demo-1', max_tokens: 200, tools, messages: this.#marked() };
      const { answer, error, step } = await this.#run(request);
      assert.equal(error, undefined, String(error));
      assert.equal(step?.effect === 'broken', false, `turn ${turn}`);
      if (answer === undefined) assert.fail();
      this.#messages.push({ role: 'assistant', content: answer.content });
      this.#goesOn(answer.content);
      if (this.#is(0.1)) this.#clock.nowMs += 3_600_000;
    }
  }

  /** Results of all calls, in any form; then, now and then, something that clients do to their past. */
  #goesOn(content: readonly Block[]): void {
    const results = content.flatMap((block) => (block.type === 'tool_use' ? [this.#resultOf(block.id)] : []));
    const text: readonly Block[] =
      results.length === 0 || this.#is(0.1) ? [{ type: 'text', text: this.#words('Say more of') }] : [];
    const image: readonly Block[] = this.#is(0.1) ? [picture] : [];
    this.#messages.push({ role: 'user', content: [...results, ...image, ...text] });
    if (this.#is(0.04)) this.#compact();
    else if (this.#is(0.05)) this.#takeBack();
    else if (this.#is(0.03)) this.#edit();
  }

  #resultOf(tool_use_id: string): Block {
    const text = this.#words('Found');
    const kind = Math.floor(this.#random() * 5);
    if (kind === 0) return { type: 'tool_result', tool_use_id };
    if (kind === 1) return { type: 'tool_result', tool_use_id, content: text, is_error: true };
    if (kind === 2) return { type: 'tool_result', tool_use_id, content: [{ type: 'text', text }, picture] };
    return { type: 'tool_result', tool_use_id, content: text };
  }

  #words(what: string): string {
    const lines = Math.floor(this.#random() * 30);
    const at = ++this.#count;
    return Array.from(
      { length: lines + 1 },
      (_, line) => `${what} part ${at}: line ${line} of file${at}.ts.`,
    ).join('\n');
  }

  #compact(): void {
    const summary: Message = { role: 'user', content: `Summary ${++this.#count}: we read parts.` };
    this.#messages = [summary];
  }

  #takeBack(): void {
    const asked = this.#messages.findLastIndex(
      ({ role, content }, at) => at < this.#messages.length - 3 && role === 'user' && !hasResults(content),
    );
    if (asked >= 0) this.#messages = this.#messages.slice(0, asked + 1);
  }

  /** Who changes what was said can't keep what was thought about it. */
  #edit(): void {
    this.#messages = this.#messages.map(({ role, content }) => ({ role, content: unthought(content) }));
    this.#messages[0] = { role: 'user', content: `Begin with part ${++this.#count}.` };
  }

  /** Up to four in all. */
  #marked(): readonly Message[] {
    if (!this.#isMarking) return [...this.#messages];
    const last = this.#messages.length - 1;
    const places = new Set([last, Math.floor(this.#random() * last)]);
    return this.#messages.map((message, at) => {
      const blocks = blocksOf(message);
      const end = blocks.at(-1);
      if (!places.has(at) || message.role === 'assistant' || end === undefined) return message;
      return { ...message, content: [...blocks.slice(0, -1), markedInside(end)] };
    });
  }

  #answered(request: ChatRequest): Reply {
    check(request);
    const content: Block[] = [];
    if (this.#is(0.4)) content.push(thoughtAbout(request));
    const calls = this.#is(0.6) ? 1 + Math.floor(this.#random() * 3) : 0;
    if (calls === 0 || this.#is(0.3)) content.push({ type: 'text', text: this.#words('I saw') });
    const isRecalling = request.tools?.some(({ name }) => name === 'recall') === true && this.#is(0.15);
    for (let call = 0; call < calls; call++) {
      const name = isRecalling && call === 0 ? 'recall' : 'read';
      const input =
        name === 'recall' ? { query: 'part 1' } : { path: `file${this.#count}.ts`, why: this.#words('To') };
      content.push({ type: 'tool_use', id: `call_${++this.#count}`, name, input });
    }
    return Reply.stream(eventsOf(content));
  }

  #is(chance: number): boolean {
    return this.#random() < chance;
  }
}

const picture: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

/** What Anthropic's API refuses. */
function check({ messages, tools: offered = [] }: ChatRequest): void {
  let open = new Set<string>();
  let markers = offered.filter(({ cache_control }) => cache_control != null).length;
  assert.equal(messages[0]?.role, 'user');
  assert.equal(messages.at(-1)?.role, 'user');
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    assert.ok(blocks.length > 0, `message ${at} is empty`);
    assert.notEqual(message.role, messages[at - 1]?.role, `roles at ${at}`);
    for (const [nth, block] of blocks.entries()) {
      const parts = block.type === 'tool_result' && typeof block.content !== 'string' ? block.content : [];
      markers += [block, ...(parts ?? [])].filter(isMarked).length;
      if (block.type === 'text') assert.notEqual(block.text, '', `message ${at} has an empty text`);
      if (block.type === 'thinking')
        assert.equal(
          block.signature,
          signed({ tools: offered, messages }, at, nth),
          `a thought of message ${at}`,
        );
      if (block.type === 'tool_result')
        assert.ok(open.delete(block.tool_use_id), `result without call at ${at}`);
    }
    assert.equal(open.size, 0, `calls without results at ${at}`);
    open = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  }
  assert.ok(markers <= 4, `${markers} markers`);
}

/** Bound to everything before it, as the newest models' are; markers are no part of that. */
function signed(
  { tools: offered, messages }: Pick<ChatRequest, 'tools' | 'messages'>,
  at: number,
  nth: number,
): string {
  const before = messages.slice(0, at).map((message) => [message.role, blocksOf(message)]);
  const own = blocksOf(messages[at] ?? { role: 'assistant', content: [] }).slice(0, nth);
  const json = JSON.stringify([offered?.map(({ name }) => name), before, own], (key, value) =>
    key === 'cache_control' ? undefined : value,
  );
  return hash('sha256', json, 'base64url');
}

function isMarked(block: Block): boolean {
  return 'cache_control' in block && block.cache_control != null;
}

/** On a result and on its first part, where it has any. */
function markedInside(block: Block): Block {
  if (block.type !== 'tool_result' || typeof block.content === 'string') return { ...block, ...mark };
  const [first, ...others] = block.content ?? [];
  if (first === undefined) return { ...block, ...mark };
  return { ...block, content: [{ ...first, ...mark }, ...others], ...mark };
}

function thoughtAbout(request: ChatRequest): Block {
  return { type: 'thinking', thinking: 'Hm.', signature: signed(request, request.messages.length, 0) };
}

function hasResults(content: Message['content']): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool_result');
}

function unthought(content: Message['content']): Message['content'] {
  if (typeof content === 'string') return content;
  const said = content.filter(({ type }) => type !== 'thinking');
  return said.length > 0 ? said : [{ type: 'text', text: 'Hm.' }];
}

async function* eventsOf(content: readonly Block[]): AsyncGenerator<ReplyEvent> {
  const message: Answer = {
    ...{ id: 'msg', type: 'message', role: 'assistant', model: 'demo-1', content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 2000, output_tokens: 1 } },
  };
  yield { type: 'message_start', message };
  for (const [index, block] of content.entries()) {
    const started = block.type === 'tool_use' ? { ...block, input: {} } : block;
    yield { type: 'content_block_start', index, content_block: started };
    if (block.type === 'tool_use') {
      const delta = { type: 'input_json_delta' as const, partial_json: JSON.stringify(block.input) };
      yield { type: 'content_block_delta', index, delta };
    }
    yield { type: 'content_block_stop', index };
  }
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null } };
  yield { type: 'message_stop' };
}

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 13), 3_266_489_909);
    mixed ^= mixed >>> 16;
    return (mixed >>> 0) / 4_294_967_296;
  };
}
