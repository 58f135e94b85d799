import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anthropicMessages, openaiChat } from '../../wire/index.ts';
import { ClientRequest } from '../client-request.ts';
import { GatewayError } from '../errors.ts';
import { LazyJsonObject } from '../json/lazy-json-object.ts';
import type { Answer, ReplyEvent } from '../message.ts';
import { answerToEvents } from './answer-events.ts';
import type { Ending } from './ending.ts';
import { Reply } from './reply.ts';

const answer: Answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 5 },
};

function watched(events: AsyncIterable<ReplyEvent> | undefined = undefined) {
  const endings: Ending['how'][] = [];
  const reply = events === undefined ? Reply.of(answer) : Reply.stream(events);
  return { reply: reply.onEnd(({ how }) => void endings.push(how)), endings };
}

async function* passed(events: AsyncIterable<ReplyEvent>) {
  yield* events;
}

describe('a reply that goes through a generator', () => {
  test('may hold back, ask elsewhere and put things in', async () => {
    const { reply, endings } = watched();
    const other = Reply.of({ ...answer, content: [{ type: 'text', text: ' and good-bye' }] });
    const spliced = reply.through(async function* (events) {
      for await (const event of events) {
        if (event.type === 'content_block_stop')
          for await (const more of other.events()) if (more.type === 'content_block_delta') yield more;
        yield event;
      }
    });
    assert.ok(spliced.derivesFrom(reply));
    assert.deepEqual((await spliced.answer()).content, [{ type: 'text', text: 'Hello and good-bye' }]);
    assert.deepEqual(endings, ['complete']);
  });

  test('is the same for every format and framing', async () => {
    for (const wire of [anthropicMessages, openaiChat])
      for (const framing of ['json', 'sse'] as const) {
        const asked = new ClientRequest({
          wire,
          fields: LazyJsonObject.of(Buffer.from('{}')),
          headers: [],
          query: '',
        });
        const chunks: Uint8Array[] = [];
        for await (const chunk of watched().reply.through(passed).bytes(wire, framing, asked))
          chunks.push(chunk);
        assert.match(Buffer.concat(chunks).toString(), /Hello/);
      }
  });

  test('that ends when it has the last event has read all of it', async () => {
    const { reply, endings } = watched();
    const spliced = reply.through(async function* (events) {
      for await (const event of events) {
        yield event;
        if (event.type === 'message_stop') return;
      }
    });
    assert.deepEqual(await spliced.answer(), answer);
    assert.deepEqual(endings, ['complete']);
  });

  test('that ends too early is broken, and its provider is stopped', async () => {
    const { reply, endings } = watched();
    const spliced = reply.through(async function* (events) {
      for await (const event of events) {
        yield event;
        return;
      }
    });
    await assert.rejects(spliced.answer(), /must end with message_stop/);
    assert.deepEqual(endings, ['aborted']);
  });

  test('and is given up, before it began or in the middle, gives up the one below it', async () => {
    const early = watched();
    await early.reply.through(passed).discard();
    assert.deepEqual(early.endings, ['aborted']);
    const late = watched();
    const closed = Promise.withResolvers<void>();
    const reading = late.reply
      .through(async function* (events) {
        try {
          yield* events;
        } finally {
          closed.resolve();
        }
      })
      .events();
    await reading.next();
    await reading.return?.();
    assert.deepEqual(late.endings, ['aborted']);
    await closed.promise;
  });

  test('fails as the one below it fails', async () => {
    async function* cut() {
      yield* [...answerToEvents(answer)].slice(0, 2);
      throw new GatewayError('upstream_broken', 'cut');
    }
    const { reply, endings } = watched(cut());
    await assert.rejects(reply.through(passed).answer(), /cut/);
    assert.deepEqual(endings, ['failed']);
  });
});

describe('a reply that is read in the open', () => {
  test('gives every event once, and ends', async () => {
    const { reply, endings } = watched();
    assert.deepEqual(await Array.fromAsync(reply.events()), [...answerToEvents(answer)]);
    assert.deepEqual(endings, ['complete']);
    assert.throws(() => reply.events(), /already read/);
  });

  test('and left in the middle is given up', async () => {
    const { reply, endings } = watched();
    for await (const event of reply.events()) if (event.type === 'content_block_delta') break;
    assert.deepEqual(endings, ['aborted']);
  });

  test('and left before it began is given up as well', async () => {
    const { reply, endings } = watched();
    await reply.events().return?.();
    assert.deepEqual(endings, ['aborted']);
  });
});
