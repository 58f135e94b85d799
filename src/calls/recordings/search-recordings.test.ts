import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../limits.ts';
import type { RecordedCall } from './recorded-call.ts';
import { searchRecordings } from './search-recordings.ts';

const account = { accountId: 'local', beforeId: undefined };

test('a search finds texts of requests and answers, not names of fields or data of images', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'needle' } };
  const calls = [
    recordedCall({ question: [{ type: 'text', text: 'Where is the NEEDLE?' }] }),
    recordedCall({ question: [image] }),
    recordedCall({ question: 'Hello', answer: `${'hay '.repeat(100)}needle${' hay'.repeat(100)}` }),
  ];
  const { matches, ...rest } = await searchRecordings(listOf(calls), { ...account, text: 'Needle' });
  assert.deepEqual(
    matches.map(({ id }) => id),
    ['req_0000', 'req_0002'],
  );
  assert.equal(matches[0]?.excerpt, 'Where is the NEEDLE?');
  assert.match(String(matches[1]?.excerpt), /^…(hay ){10}needle( hay)+.*…$/);
  assert.deepEqual(rest, { searched: 3, lastId: undefined });
  assert.equal((await searchRecordings(listOf(calls), { ...account, text: 'content' })).matches.length, 0);
});

test('a search ends at a number or a size of recordings, and goes on from there', async () => {
  const many = Array.from({ length: limits.recordingsSearchedMax + 1 }, () => recordedCall({}));
  const first = await searchRecordings(listOf(many), { ...account, text: 'Hello' });
  assert.deepEqual([first.matches.length, first.lastId], [limits.recordingMatchesMax, 'req_0049']);
  const none = await searchRecordings(listOf(many), { ...account, text: 'needle' });
  assert.deepEqual([none.searched, none.lastId], [limits.recordingsSearchedMax, 'req_0499']);
  const rest = await searchRecordings(listOf(many), { ...account, beforeId: 'req_0499', text: 'needle' });
  assert.deepEqual(rest, { matches: [], searched: 1, lastId: undefined });

  const large = Array.from({ length: 3 }, () =>
    recordedCall({ question: 'x'.repeat(limits.recordingBytesSearchedMax / 2) }),
  );
  const cut = await searchRecordings(listOf(large), { ...account, text: 'needle' });
  assert.deepEqual([cut.searched, cut.lastId], [2, 'req_0001']);
});

/** Recordings from the newest to the oldest, with ids in that order. */
function listOf(calls: readonly RecordedCall[]): Parameters<typeof searchRecordings>[0] {
  const ids = calls.map((_, index) => `req_${String(index).padStart(4, '0')}`);
  return {
    async page({ beforeId, limit }) {
      const from = beforeId === undefined ? 0 : ids.indexOf(beforeId) + 1;
      return ids.slice(from, from + limit).map((id) => ({ id, bytes: 1 }));
    },
    find: async (_, id) => calls[ids.indexOf(id)],
  };
}

function recordedCall({
  question = 'Hello',
  answer = 'Hi',
}: {
  question?: unknown;
  answer?: string;
}): RecordedCall {
  const message = (json: object) => {
    const body = Buffer.from(JSON.stringify(json));
    return { headers: [], body, bytes: body.byteLength, storedBytes: body.byteLength };
  };
  const facts = {
    type: 'message',
    role: 'assistant',
    id: 'msg_1',
    model: 'm',
    stop_reason: 'end_turn',
    usage: {},
  };
  return {
    ...{ keyId: null, model: 'm', wire: 'anthropic-messages', streamed: false, pipeline: '', status: 200 },
    ...{ ending: 'complete', errorCode: null, path: '/v1/messages', redaction: 'none', sent: null },
    request: message({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: question }] }),
    response: message({ ...facts, content: [{ type: 'text', text: answer }] }),
  };
}
