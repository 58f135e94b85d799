import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Answer, Block, Delta, ReplyEvent } from '../message.ts';
import { Reply, replyOwnership } from './reply.ts';
import { createTextReplacer, type TextMatch } from './text-replacer.ts';

/** Whole words, so that what stands around them counts. */
const words = /\b(?:cat|catalogue|😀+)\b|secret-\d{1,4}/gu;
const holdBackChars = 12;

function* find(text: string, from: number): Generator<TextMatch> {
  words.lastIndex = from;
  for (let match = words.exec(text); match !== null; match = words.exec(text)) {
    const [found] = match;
    yield { start: match.index, end: match.index + found.length, replacement: '[x]' };
    words.lastIndex = match.index + found.length;
  }
}

const start: ReplyEvent = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {},
  },
};

async function rewritten(
  block: Block,
  deltas: readonly Delta[],
  only?: readonly ('text' | 'thinking')[],
): Promise<Answer> {
  async function* events(): AsyncGenerator<ReplyEvent> {
    yield start;
    yield { type: 'content_block_start', index: 0, content_block: block };
    for (const delta of deltas) yield { type: 'content_block_delta', index: 0, delta };
    yield { type: 'content_block_stop', index: 0 };
    yield { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    yield { type: 'message_stop' };
  }
  const kinds = only === undefined ? {} : { in: only };
  return Reply.stream(events())
    .map(createTextReplacer({ find, holdBackChars, ...kinds }))
    .answer();
}

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom('cat', 'catalogue', ' ', 'a', 'secret-', '12', '3456', '😀', 'con', '\n', '-'),
    fc.string(),
  ),
  { maxLength: 30 },
);

describe('text that is replaced on its way', () => {
  test('is the same wherever it was cut', () =>
    fc.assert(
      fc.asyncProperty(pieces, async (cut) => {
        const whole = cut.join('').replaceAll(words, '[x]');
        const { content } = await rewritten(
          { type: 'text', text: '' },
          cut.map((text) => ({ type: 'text_delta', text })),
        );
        assert.deepEqual(content, [{ type: 'text', text: whole }]);
      }),
      { numRuns: 300 },
    ));

  test('goes out as soon as it can: no more is held back than a piece may be long', async () => {
    const rewrite = createTextReplacer({ find, holdBackChars });
    let out = 0;
    for (let at = 1; at <= 100; at++) {
      const delta: Delta = { type: 'text_delta', text: '.' };
      const events = rewrite({ type: 'content_block_delta', index: 0, delta });
      out += Array.isArray(events) ? events.length : 1;
      assert.ok(at - out <= holdBackChars);
    }
  });

  test('is replaced in thoughts, in front of their signature, and in what tools are given', async () => {
    const thought = await rewritten({ type: 'thinking', thinking: '' }, [
      { type: 'thinking_delta', thinking: 'the c' },
      { type: 'thinking_delta', thinking: 'at' },
      { type: 'signature_delta', signature: 'sig' },
    ]);
    assert.deepEqual(thought.content, [{ type: 'thinking', thinking: 'the [x]', signature: 'sig' }]);
    const used = await rewritten({ type: 'tool_use', id: 't', name: 'look', input: {} }, [
      { type: 'input_json_delta', partial_json: '{"at": "c' },
      { type: 'input_json_delta', partial_json: 'at"}' },
    ]);
    assert.deepEqual(used.content, [{ type: 'tool_use', id: 't', name: 'look', input: { at: '[x]' } }]);
  });

  test('goes out before a delta of another kind', () => {
    const rewrite = createTextReplacer({ find, holdBackChars, in: ['text', 'thinking'] });
    const deltas = (delta: Delta) => [rewrite({ type: 'content_block_delta', index: 0, delta })].flat();
    const sent = (delta: Delta) => ({ type: 'content_block_delta', index: 0, delta });
    const signature: Delta = { type: 'signature_delta', signature: 'sig' };
    assert.deepEqual(deltas({ type: 'thinking_delta', thinking: 'the cat' }), []);
    assert.deepEqual(deltas(signature), [
      sent({ type: 'thinking_delta', thinking: 'the [x]' }),
      sent(signature),
    ]);
    const input: Delta = { type: 'input_json_delta', partial_json: 'cat' };
    assert.deepEqual(deltas({ type: 'thinking_delta', thinking: ' and a cat' }), []);
    assert.deepEqual(deltas(input), [sent({ type: 'thinking_delta', thinking: ' and a [x]' }), sent(input)]);
    assert.deepEqual(deltas(signature), [sent(signature)]);
  });

  test('is left alone unless it is listed', async () => {
    const { content } = await rewritten(
      { type: 'thinking', thinking: '' },
      [{ type: 'thinking_delta', thinking: 'cat' }],
      ['text'],
    );
    assert.deepEqual(content, [{ type: 'thinking', thinking: 'cat' }]);
  });

  test('is all there where the search fails and the rest passes as it is', async () => {
    const failing = createTextReplacer({
      holdBackChars,
      find: (text) => {
        if (text.includes('dear')) throw new Error('oops');
        return [];
      },
    });
    const keeper = {
      handleFault: () => undefined,
      runTimed: <Done>(task: () => Promise<Done>) => task(),
      awaitInner: <Done>(inner: Promise<Done>) => inner,
      awaitFinal: <Done>(work: Promise<Done>) => work,
    };
    const said = ['Hello ', 'dear ', 'world'];
    async function* events(): AsyncGenerator<ReplyEvent> {
      yield start;
      yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
      for (const text of said)
        yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
      yield { type: 'content_block_stop', index: 0 };
      yield { type: 'message_stop' };
    }
    const reply = Reply.stream(events()).map(failing);
    replyOwnership.assignMaker(reply, keeper);
    assert.deepEqual((await reply.answer()).content, [{ type: 'text', text: said.join('') }]);
  });

  test('counts also where a block begins with some', async () => {
    const { content } = await rewritten({ type: 'text', text: 'a c' }, [{ type: 'text_delta', text: 'at' }]);
    assert.deepEqual(content, [{ type: 'text', text: 'a [x]' }]);
  });
});
