import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PullResult } from '../kernel/reply/source.ts';
import { anthropicMessages } from '../wire/anthropic-messages/anthropic-messages.ts';
import { awaitFirstContent } from './await-first-content.ts';
import { limits } from './limits.ts';

const streamed = { wantsStream: true, limit: undefined };

test('an answer that can’t be read is given up with its connection', async () => {
  let cancelled = 0;
  const wire = {
    ...anthropicMessages,
    replyDecoder: () => ({
      push: () => {
        throw new Error('unreadable');
      },
      end: () => [],
      finished: false,
      unread: { tokens: 0, calls: 0 },
    }),
  };
  const body = {
    next: () => Buffer.from('event: ping\n\n'),
    cancel: () => {
      cancelled++;
    },
  };
  await assert.rejects(
    awaitFirstContent({ wire, framing: 'sse', status: 200, headers: [], body }, streamed),
    /unreadable/,
  );
  assert.equal(cancelled, 1);
});

test('what has come while this process was busy is not late', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise: silence, resolve: say } = Promise.withResolvers<Uint8Array>();
  const coming: PullResult<Uint8Array>[] = [silence];
  const body = { next: () => coming.shift(), cancel: () => undefined };
  const raw = { wire: anthropicMessages, framing: 'sse', status: 200, headers: [], body } as const;
  const answer = awaitFirstContent(raw, streamed);
  // Timers that are due come first, then what the sockets have.
  t.mock.timers.tick(limits.commitWaitMs);
  say(
    Buffer.from(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n',
    ),
  );
  await assert.rejects(answer, /no/);
});

test('a document that is called a stream and comes late is one for a client that wants no stream', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise: silence, resolve: say } = Promise.withResolvers<Uint8Array>();
  const coming: PullResult<Uint8Array>[] = [silence];
  const body = { next: () => coming.shift(), cancel: () => undefined };
  const raw = { wire: anthropicMessages, framing: 'sse', status: 200, headers: [], body } as const;
  const answer = awaitFirstContent(raw, { wantsStream: false, limit: undefined });
  t.mock.timers.tick(limits.commitWaitMs);
  await new Promise(setImmediate);
  say(Buffer.from('{"type":"message"}'));
  const { framing, body: rest } = await answer;
  assert.equal(framing, 'json');
  assert.equal(String(await rest.next()), '{"type":"message"}');
});
