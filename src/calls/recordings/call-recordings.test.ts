import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { testKey } from '../../../test/support/account-fixture.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import { Sealer } from '../../accounts/sealer.ts';
import { ClientRequest } from '../../kernel/client-request.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { RecordingTable } from '../../kernel/ports/recordings.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { createRequestIds } from '../../kernel/request-ids.ts';
import { openEmptyDatabase } from '../../testing/empty-database.ts';
import { openaiChat } from '../../wire/index.ts';
import { limits } from '../limits.ts';
import { CallRecordings } from './call-recordings.ts';
import { recordingCleaner } from './recording-cleaner.ts';

const dayMs = 86_400_000;
const totalBytesMax = 10_000;

test('a recording ends with its retention, even before it is deleted', async (t) => {
  const { record, recordings, table, cleaner, clock } = await setUp(t);
  const old = await record();
  clock.move(1);
  const young = await record();
  clock.move(7 * dayMs - 1);
  assert.ok((await recordings.find('local', old)) !== undefined);
  clock.move(1);
  assert.equal(await recordings.find('local', old), undefined);
  assert.deepEqual(await idsOf(recordings), [young]);
  assert.ok((await table.find('local', old)) !== undefined);
  await cleaner.run();
  assert.equal(await table.find('local', old), undefined);
  assert.ok((await table.find('local', young)) !== undefined);
});

test('beyond the size of the instance, the oldest recordings are deleted', async (t) => {
  const { record, recordings, cleaner, clock } = await setUp(t);
  const ids: string[] = [];
  for (let calls = 0; calls < 4; calls++) {
    clock.move(1);
    ids.unshift(await record(incompressible(totalBytesMax * 0.3)));
  }
  assert.deepEqual(await idsOf(recordings), ids);
  await cleaner.run();
  assert.deepEqual(await idsOf(recordings), ids.slice(0, 3));
});

test('without memory nothing is recorded, and what was begun is truncated', async (t) => {
  const { open, recordings, table, drops } = await setUp(t);
  const holding: { close(call: undefined, failure: unknown): void }[] = [];
  const pieces = Math.floor(limits.recordingBytesHeldMax / limits.recordedBodyBytesMax);
  const piece = Buffer.alloc(limits.recordedBodyBytesMax);
  for (let calls = 0; calls < pieces; calls++) {
    const { recording } = open();
    recording?.onBody(piece);
    if (recording !== undefined) holding.push(recording);
  }
  const last = holding.at(-1);
  assert.ok(last !== undefined && recordings.heldBytes <= limits.recordingBytesHeldMax);
  const small = Buffer.alloc(limits.recordingBytesHeldMax - recordings.heldBytes - 10_000);
  const { id, recording: truncated } = open();
  truncated?.onBody(small);
  truncated?.onBody(Buffer.alloc(20_000));
  truncated?.onBody(Buffer.from('late'));
  truncated?.close(undefined, new Error('oops'));
  while (open().recording !== undefined);
  assert.deepEqual([recordings.dropped, drops.length], [1, 1]);
  assert.equal(await recordings.flush(60_000), true);
  const found = await recordings.find('local', id);
  assert.partialDeepStrictEqual(found?.response, {
    bytes: small.byteLength + 20_004,
    storedBytes: small.byteLength,
  });
  for (const recording of holding) recording.close(undefined, undefined);
  assert.equal(await recordings.drain(60_000), true);
  assert.equal((await table.page({ ...everything, limit: 100 })).length, holding.length + 1);
});

test('while the database is away, recordings wait, and are stored once', async (t) => {
  const { record, recordings, faults, table } = await setUp(t);
  faults.push(storageUnavailable('away'));
  const id = await record('Hello');
  assert.equal(await recordings.drain(60_000), true);
  assert.equal((await table.page({ ...everything, limit: 100 })).length, 1);
  assert.ok((await recordings.find('local', id)) !== undefined);
  assert.equal(recordings.heldBytes, 0);
});

const everything = { accountId: 'local', fromId: '', beforeId: undefined };

async function idsOf(recordings: CallRecordings): Promise<readonly string[]> {
  const page = await recordings.page({ accountId: 'local', beforeId: undefined, limit: 100 });
  return page.map(({ id }) => id);
}

/** A text that takes about this many bytes when it is compressed. */
function incompressible(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

async function setUp(t: TestContext) {
  const clock = new ManualClock();
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const faults: unknown[] = [];
  const drops: true[] = [];
  const table: RecordingTable = database.recordings;
  const retentionMs = 7 * dayMs;
  const recordings = new CallRecordings({
    table: {
      find: (...where) => table.find(...where),
      page: (query) => table.page(query),
      search: (search) => table.search(search),
      remove: (...which) => table.remove(...which),
      forget: (accountId) => table.forget(accountId),
      forgetBefore: (id) => table.forgetBefore(id),
      newestBeyond: (bytesMax) => table.newestBeyond(bytesMax),
      async add(rows, bytesMax) {
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
        await table.add(rows, bytesMax);
      },
    },
    clock,
    sealing: new Sealer([testKey(1)]),
    policy: { mode: 'all', sampleRate: 0, retentionMs },
    bytesMax: 1_000_000_000,
    onError: () => undefined,
    onDrop: () => void drops.push(true),
  });
  const cleaner = recordingCleaner({
    table,
    clock,
    retentionMs,
    totalBytesMax,
    onError: (error) => assert.fail(String(error)),
  });
  const newId = createRequestIds(clock);
  const open = () => {
    const id = newId();
    const fields = LazyJsonObject.of(Buffer.from('{"model":"demo-1"}'));
    const clientRequest = new ClientRequest({ wire: openaiChat, fields, headers: [], query: '' });
    const identity = { caller: { kind: 'local' }, key: undefined, accountId: 'local' } as const;
    const recording = recordings.open(identity, { id, clientRequest, pipeline: 'none', isRedacted: false });
    assert.ok(!(recording instanceof Promise));
    return { id, recording };
  };
  const record = async (body = 'Hello') => {
    const { id, recording } = open();
    recording?.onHead(200, []);
    recording?.onBody(Buffer.from(body));
    recording?.close(undefined, undefined);
    return id;
  };
  return { open, record, recordings, table, cleaner, clock, faults, drops };
}
