import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { VectorTable } from '../../kernel/ports/vectors.ts';
import { systemClock } from '../../lib/clock.ts';
import { createModuleTables } from '../../testing/module-tables.ts';
import type { InferenceClient, InferenceRequest } from '../inference.ts';
import { limits } from '../limits.ts';
import { TextEmbeddings } from '../text-embeddings.ts';
import { SharedEmbeddingCache } from './shared-embedding-cache.ts';

/** Vectors of these embeddings, which say how often they had to make one. */
function embeddingsWith(table: VectorTable, nowMs?: number) {
  const asked: InferenceRequest[] = [];
  const models: InferenceClient = {
    unavailableReason: () => undefined,
    async infer(question) {
      asked.push(question);
      return { values: Float32Array.from([0.6, 0.8]), tokens: 2 };
    },
    close: async () => undefined,
  };
  const clock = nowMs === undefined ? systemClock : { ...systemClock, now: () => nowMs };
  const sharedCache = new SharedEmbeddingCache({ table, clock });
  return { asked, embeddings: new TextEmbeddings({ source: 'local', models, sharedCache }) };
}

const publicly = { use: 'tools', isPublic: true, deadlineMs: 60_000 } as const;

test('a public text is embedded once for all processes with the same database', async () => {
  const table = createModuleTables().vectors;
  const first = embeddingsWith(table);
  await first.embeddings.many(['a tool', 'another'], publicly);
  assert.equal(first.asked.length, 2);
  const second = embeddingsWith(table);
  const { vectors } = await second.embeddings.many(['another', 'a third'], publicly);
  assert.equal(second.asked.length, 1);
  const [values = new Float32Array()] = vectors?.map((vector) => vector.values) ?? [];
  assert.ok(Math.abs((values[0] ?? 0) - 0.6) < 0.01 && Math.abs((values[1] ?? 0) - 0.8) < 0.01);
});

test('a public text is embedded once for all accounts, and others once for each account', async () => {
  const { asked, embeddings } = embeddingsWith(createModuleTables().vectors);
  for (const scope of ['one', 'two']) await embeddings.many(['a tool'], { ...publicly, scope });
  assert.equal(asked.length, 1);
  for (const scope of ['one', 'two']) await embeddings.many(['a question'], { use: 'tools', scope });
  assert.equal(asked.length, 3);
});

test('who waits for what was kept has less time left for what has to be made', async () => {
  const table = createModuleTables().vectors;
  table.find = async () => Promise.withResolvers<never>().promise;
  const waits: number[] = [];
  const models: InferenceClient = {
    unavailableReason: () => undefined,
    async infer(_, deadlineMs) {
      waits.push(deadlineMs);
      return { why: 'late' };
    },
    close: async () => undefined,
  };
  const sharedCache = new SharedEmbeddingCache({ table, clock: systemClock });
  const embeddings = new TextEmbeddings({ source: 'local', models, sharedCache });
  const { why } = await embeddings.many(['a tool'], { ...publicly, deadlineMs: 40 });
  assert.equal(why, 'late');
  assert.ok((waits[0] ?? 0) < 10, String(waits));
});

test('what was found too late for a call is there for the next', async () => {
  const table = createModuleTables().vectors;
  await embeddingsWith(table).embeddings.many(['a tool'], publicly);
  const models: InferenceClient = {
    unavailableReason: () => undefined,
    infer: async () => ({ why: 'late' }),
    close: async () => undefined,
  };
  const embeddings = new TextEmbeddings({
    source: 'local',
    models,
    sharedCache: new SharedEmbeddingCache({ table, clock: systemClock }),
  });
  const waited = Promise.withResolvers<void>();
  const find = table.find.bind(table);
  table.find = (...wanted) => waited.promise.then(() => find(...wanted));
  assert.equal((await embeddings.many(['a tool'], { ...publicly, deadlineMs: 20 })).why, 'late');
  table.find = async () => [];
  waited.resolve();
  await setImmediate();
  assert.equal((await embeddings.many(['a tool'], publicly)).vectors?.length, 1);
});

test('other texts are not kept', async () => {
  const table = createModuleTables().vectors;
  await embeddingsWith(table).embeddings.many(['what somebody asked'], { use: 'tools', deadlineMs: 60_000 });
  const later = embeddingsWith(table);
  await later.embeddings.many(['what somebody asked'], publicly);
  assert.equal(later.asked.length, 1);
});

test('what was kept for its time is made again', async () => {
  const table = createModuleTables().vectors;
  await embeddingsWith(table).embeddings.many(['a tool'], publicly);
  const later = embeddingsWith(table, Date.now() + limits.storedTextVectorLifeMs + 1000);
  await later.embeddings.many(['a tool'], publicly);
  assert.equal(later.asked.length, 1);
});

test('a database that is away costs the vectors nothing but time', async () => {
  const troubles: unknown[] = [];
  const table = createModuleTables().vectors;
  table.find = async () => {
    throw new Error('away');
  };
  const sharedCache = new SharedEmbeddingCache({
    table,
    clock: systemClock,
    onError: (cause) => void troubles.push(cause),
  });
  const models: InferenceClient = {
    unavailableReason: () => undefined,
    infer: async () => ({ values: Float32Array.from([1]), tokens: 1 }),
    close: async () => undefined,
  };
  const { vectors } = await new TextEmbeddings({ source: 'local', models, sharedCache }).many(
    ['a tool'],
    publicly,
  );
  assert.equal(vectors?.length, 1);
  assert.equal(troubles.length, 1);
});
