import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropicMessages } from '../wire/anthropic-messages/anthropic-messages.ts';
import { begun } from './begun.ts';

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
  await assert.rejects(begun({ wire, framing: 'sse', status: 200, headers: [], body }), /unreadable/);
  assert.equal(cancelled, 1);
});
