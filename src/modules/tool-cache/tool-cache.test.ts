import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Answer,
  type Block,
  type ChatRequest,
  type DecisionLog,
  type Handler,
  type Message,
  Reply,
  type Tool,
} from '../../module-api.ts';
import { runModule } from '../../testing/run-module.ts';
import { testPrices } from '../../testing/test-prices.ts';
import { referRepeatedResults } from './repeated-results.ts';
import { toolCache } from './tool-cache.ts';

const read: Tool = { name: 'read', input_schema: { type: 'object' } };
const annotated = Object.assign({}, read, { annotations: { readOnlyHint: true } });
const send: Tool = { name: 'send', input_schema: { type: 'object' } };
const question: ChatRequest = {
  model: 'm',
  max_tokens: 100,
  tools: [read, send],
  messages: [{ role: 'user', content: 'Read a.' }],
};
const folding = { options: 'idempotent=read&holdout=0' };

const call = (id: string, path = 'a', name = 'read'): Block => ({
  type: 'tool_use',
  id,
  name,
  input: { path },
});
const result = (id: string, content: string | readonly Block[] = 'A', more: object = {}): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const long = 'The whole file, line by line.\n'.repeat(60);

/** A model that answers with this. */
function says(...content: readonly Block[]): Handler {
  const answer: Answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
  return async () => Reply.of(answer);
}

/** The log of a conversation without decisions. */
const noDecisions: DecisionLog = {
  isEmpty: async () => true,
  get: async () => undefined,
  getAll: async () => new Map(),
  decideOnce: async (_, decide) => decide(),
};

const done = says({ type: 'text', text: 'Done.' });

describe('repeated calls in one answer', () => {
  const thought: Block = { type: 'thinking', thinking: 'Hm.', signature: 'signed' };
  const written = [thought, call('a'), call('b', 'b'), call('c')];
  const seen = [thought, call('a'), call('b', 'b')];

  async function fold(...answers: readonly Block[]) {
    const run = runModule(toolCache, folding);
    const first = await run(question, { upstream: says(...written) });
    assert.deepEqual(first.answer?.content, seen);
    assert.equal(first.step?.attributes.folded, 1);
    const messages: Message[] = [
      ...question.messages,
      { role: 'assistant', content: seen },
      { role: 'user', content: answers },
    ];
    const { sent } = await run({ ...question, messages }, { upstream: done });
    return sent[0]?.messages.slice(1);
  }

  test('reach the client once, and its result is given to both', async () => {
    const marker = { cache_control: { type: 'ephemeral' } };
    assert.deepEqual(await fold(result('b', 'B'), result('a', 'A', marker)), [
      { role: 'assistant', content: written },
      { role: 'user', content: [result('b', 'B'), result('c'), result('a', 'A', marker)] },
    ]);
  });

  test('both have the error of the client', async () => {
    const error = { is_error: true };
    const [, results] = (await fold(result('a', 'No.', error), result('b'))) ?? [];
    assert.deepEqual(results?.content, [result('c', 'No.', error), result('a', 'No.', error), result('b')]);
  });

  test('are left out if the client gives no result', async () => {
    const remark: Block = { type: 'text', text: 'Never mind.' };
    assert.deepEqual(await fold(result('b'), remark), [
      { role: 'assistant', content: seen },
      { role: 'user', content: [result('b'), remark] },
    ]);
  });

  test('stay as the client has them if it edits the conversation', async () => {
    const run = runModule(toolCache, folding);
    await run(question, { upstream: says(...written) });
    const messages: Message[] = [
      { role: 'user', content: 'Read a, please.' },
      { role: 'assistant', content: seen },
      { role: 'user', content: [result('a'), result('b')] },
    ];
    const { sent } = await run({ ...question, messages }, { upstream: done });
    assert.deepEqual(sent[0]?.messages, messages);
  });

  test('of tools that nobody calls idempotent reach the client', async () => {
    const content = [call('a', 'a', 'send'), call('b', 'a', 'send')];
    const { answer, step } = await runModule(toolCache, folding)(question, { upstream: says(...content) });
    assert.deepEqual(answer?.content, content);
    assert.equal(step?.attributes.folded, undefined);
  });

  test('of tools that are annotated as read-only are folded, and providers do not see annotations', async () => {
    const request = { ...question, tools: [annotated, send] };
    const run = runModule(toolCache, { options: 'holdout=0' });
    const { answer, sent } = await run(request, { upstream: says(call('a'), call('b')) });
    assert.deepEqual(answer?.content, [call('a')]);
    assert.deepEqual(sent[0]?.tools, [read, send]);
    for (const options of ['holdout=0&plan=listed', 'holdout=0&never=re*']) {
      const other = await run(request, { options, upstream: says(call('a'), call('b')) });
      assert.equal(other.answer?.content.length, 2);
    }
  });
});

describe('repeated results', () => {
  const rounds = (...contents: readonly (string | readonly Block[])[]): ChatRequest => ({
    ...question,
    messages: [
      ...question.messages,
      ...contents.flatMap((content, at): Message[] => [
        { role: 'assistant', content: [call(`c${at}`)] },
        { role: 'user', content: [result(`c${at}`, content)] },
      ]),
    ],
  });
  const reference =
    '[Same result as the call read({"path":"a"}) earlier in this turn, word for word; not repeated here.]';
  const resultsIn = (request: ChatRequest | undefined) =>
    request?.messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
    );
  const options = 'holdout=0';

  test('are sent once, and then in full when the model calls the tool again', async () => {
    const run = runModule(toolCache, { options, upstream: done });
    const expected = [long, reference, long, reference];
    for (let count = 1; count <= 4; count++) {
      const { sent, step } = await run(rounds(...Array(count).fill(long)));
      assert.deepEqual(resultsIn(sent[0]), expected.slice(0, count));
      assert.equal(step?.attributes.referred, count < 2 ? undefined : Math.floor(count / 2));
    }
  });

  test('of one answer are one result', async () => {
    const run = runModule(toolCache, { options, upstream: done });
    const twice: Message[] = [
      ...question.messages,
      { role: 'assistant', content: [call('a'), call('b')] },
      { role: 'user', content: [result('a', long), result('b', long)] },
    ];
    const first = await run({ ...question, messages: twice });
    assert.deepEqual(resultsIn(first.sent[0]), [long, reference]);
    const again: Message[] = [
      ...twice,
      { role: 'assistant', content: [call('c')] },
      { role: 'user', content: [result('c', long)] },
    ];
    const second = await run({ ...question, messages: again });
    assert.deepEqual(resultsIn(second.sent[0]), [long, reference, reference]);
  });

  test('are the same if only blanks at the ends of lines differ', async () => {
    const spaced = [{ type: 'text' as const, text: long.replaceAll('\n', '  \n') }];
    const { sent } = await runModule(toolCache, { options, upstream: done })(rounds(long, spaced));
    assert.deepEqual(resultsIn(sent[0]), [long, reference]);
  });

  test('in earlier turns stay in full if they were sent so', async () => {
    const run = runModule(toolCache, { options, upstream: done });
    const { sent } = await run(rounds(long, long, 'short'));
    assert.deepEqual(resultsIn(sent[0]), [long, long, 'short']);
  });

  test('are sent in full if the other one is no longer sent', async () => {
    const run = runModule(toolCache, { options, upstream: done });
    await run(rounds(long, long));
    const { sent } = await run(rounds('[cleared]', long, 'short'));
    assert.deepEqual(resultsIn(sent[0]), ['[cleared]', long, 'short']);
  });

  test('are sent in full if they are short, errors, or before a compaction of the provider', async () => {
    const run = runModule(toolCache, { options, upstream: done });
    const short = 'x'.repeat(1199);
    assert.deepEqual(resultsIn((await run(rounds(short, short))).sent[0]), [short, short]);
    const failed: Message = { role: 'user', content: [result('c1', long, { is_error: true })] };
    const { messages } = rounds(long, long);
    const errors = { ...question, messages: [...messages.slice(0, -1), failed] };
    assert.deepEqual(resultsIn((await run(errors)).sent[0]), [long, long]);
    const compaction = Object.assign({}, call('c1'), { type: 'compaction' });
    const compacted = messages.with(3, { role: 'assistant', content: [compaction, call('c1')] });
    assert.deepEqual(resultsIn((await run({ ...question, messages: compacted })).sent[0]), [long, long]);
  });

  test('are sent in full if the provider or an inner module may leave out the first', async () => {
    const edits = [{ type: 'clear_tool_uses_20250919' }];
    const run = runModule(toolCache, { options, upstream: done });
    const { sent } = await run({ ...rounds(long, long), context_management: { edits } });
    assert.deepEqual(resultsIn(sent[0]), [long, long]);
    const shortener = { ...toolCache, name: 'shortener', shortens: true as const };
    const inner = runModule(
      toolCache,
      { pipeline: 'tool-cache?holdout=0,shortener?holdout=0', upstream: done },
      { otherModules: [{ ...shortener, handle: (exchange, next) => next(exchange) }] },
    );
    const { sent: all, step } = await inner(rounds(long, long));
    assert.deepEqual(resultsIn(all[0]), [long, long]);
    assert.equal(step?.attributes.aside, 'order');
  });

  test('may be one object at two places', async () => {
    const answer: Message = { role: 'assistant', content: [call('a')] };
    const results: Message = { role: 'user', content: [result('a', long)] };
    const messages = [...question.messages, answer, results, answer, results];
    const { request } = await referRepeatedResults({ ...question, messages }, noDecisions, true);
    assert.deepEqual(resultsIn(request), [long, reference]);
  });

  test('keep the client’s cache markers', async () => {
    const cache_control = { type: 'ephemeral' } as const;
    const marked: readonly Block[] = [{ type: 'text', text: long, cache_control }];
    const { sent } = await runModule(toolCache, { options, upstream: done })(rounds(long, marked));
    assert.deepEqual(sent[0]?.messages.at(-1)?.content, [result('c1', reference, { cache_control })]);
  });

  test('are a saving at the price of the call', async () => {
    const prices = testPrices({ input: 4, output: 8 });
    const run = runModule(toolCache, { options, upstream: done }, { prices });
    const { step } = await run(rounds(long, long));
    const tokens = (long.length - reference.length) / 4;
    assert.equal(step?.savedNanoUsd, Math.round(tokens * 4000));
  });
});

test('a small request without idempotent tools is not parsed', async () => {
  const { step } = await runModule(toolCache)(question, { upstream: done });
  assert.equal(step?.attributes.aside, 'small');
});
