import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { firstIdAt, timeOfId } from '../src/kernel/request-id.ts';
import { LogFolder } from '../src/telemetry/log-sinks/log-folder.ts';
import { checkAccepted, LogSink } from '../src/telemetry/log-sinks/log-sink.ts';
import { FakeUpstream, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { eventually } from './support/eventually.ts';
import { sampleEndedCall } from './support/sample-ended-call.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const body = { model: 'demo-1', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };

const pageSchema = z.object({ requests: z.array(z.looseObject({ id: z.string() })), has_more: z.boolean() });
const summarySchema = z.object({
  total: z.object({ requests: z.number(), cached: z.number() }),
  modules: z.array(z.object({ effects: z.record(z.string(), z.number()) })),
});

test('ClickHouse and an object store get every call, with or without a row, and again after a failure', async (t) => {
  let failures = 1;
  const clickHouse = await FakeUpstream.start(() => (failures-- > 0 ? { status: 503 } : { status: 200 }));
  const objects = await FakeUpstream.start({ status: 200 });
  for (const server of [clickHouse, objects]) cleanUp(t, () => server.close());
  const gateway = await startTestGateway({
    WEIR_LOG_SAMPLE: '0',
    WEIR_LOG_CLICKHOUSE_URL: clickHouse.url,
    WEIR_LOG_CLICKHOUSE_KEY: 'weir:pass:word',
    WEIR_LOG_CLICKHOUSE_TABLE: 'logs.calls',
    WEIR_LOG_S3_URL: `${objects.url}/bucket/some`,
    WEIR_LOG_S3_KEY: 'AKIDEXAMPLE:secret/key',
    WEIR_LOG_S3_REGION: 'eu-central-1',
  });
  cleanUp(t, () => gateway.close());
  const { headers } = await call(gateway.url, { path: '/v1/messages', body });
  const id = headers['x-request-id'];
  await eventually(() => (clickHouse.requests.length > 1 ? true : undefined));
  const { json: page } = await call(gateway.url, { path: '/v1/requests' });
  assert.deepEqual(page.requests, []);
  await gateway.close();

  const [first, second] = clickHouse.requests;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([first.url, first.bytes], [second.url, second.bytes], 'a retry is the same batch');
  const { searchParams } = new URL(second.url, clickHouse.url);
  assert.equal(searchParams.get('query'), 'INSERT INTO logs.calls FORMAT JSONEachRow');
  assert.equal(searchParams.get('insert_deduplication_token'), id);
  assert.equal(second.headers['x-clickhouse-user'], 'weir');
  assert.equal(second.headers['x-clickhouse-key'], 'pass:word');
  const sent = clickHouse.requests.slice(1).flatMap(linesOf);
  assert.deepEqual(
    sent.map(({ id, model }) => [id, model]),
    [[id, 'demo-1']],
  );
  assert.equal(sent[0]?.provider, 'demo');

  const [object] = objects.requests;
  assert.ok(object !== undefined);
  assert.equal(object.method, 'PUT');
  assert.match(object.url, /^\/bucket\/some\/\d{4}\/\d\d\/\d\d\/\d\d\/req_\w+\.jsonl\.gz$/);
  assert.equal(object.headers.authorization, s3Authorization(object, 'secret/key'));
  assert.deepEqual(linesOf(object), sent);
});

test('lists, calls and summaries continue in ClickHouse', async (t) => {
  const oldId = `${firstIdAt(Date.now() - 40 * 86_400_000)}00112233445566778899`;
  let inserted: Record<string, unknown> | undefined;
  const sums = {
    ...{ requests: 3, inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ...{ costNanoUsd: 1_000_000_000, savedNanoUsd: 0, usedModel: 'demo-1', isFailed: 0, isCached: 1 },
  };
  const kind = {
    keyId: null,
    provider: 'demo',
    status: 200,
    ending: 'complete',
    errorCode: null,
    providerError: null,
    ...sums,
  };
  const module = { named: 'exact-cache:answered', requests: 3, ownUs: 3000, savedNanoUsd: 0 };
  const clickHouse = await FakeUpstream.start((request) => {
    if (request.url.includes('INSERT')) {
      [inserted] = linesOf(request);
      return { status: 200 };
    }
    const statement = request.bytes.toString();
    // What the gateway sent, as a call of long ago.
    const row = { ...inserted, id: oldId, at_ms: timeOfId(oldId) };
    const rows = statement.startsWith('SELECT id,')
      ? [row]
      : statement.startsWith('SELECT key_id')
        ? [kind]
        : statement.includes("'content' AS what")
          ? [{ what: 'content', step: 0, bin: 73, requests: 3 }]
          : statement.startsWith("SELECT splitByChar(':', named)")
            ? [{ module: 'exact-cache', bin: 55, requests: 3 }]
            : statement.startsWith('SELECT named')
              ? [module]
              : [];
    return { status: 200, body: rows.map((each) => JSON.stringify(each)).join('\n') };
  });
  cleanUp(t, () => clickHouse.close());
  const gateway = await startTestGateway({
    WEIR_LOG_CLICKHOUSE_URL: clickHouse.url,
    WEIR_LOG_CLICKHOUSE_HISTORY: 'on',
  });
  cleanUp(t, () => gateway.close());
  const { headers } = await call(gateway.url, { path: '/v1/messages', body });
  await eventually(() => inserted);

  const page = pageSchema.parse(
    (await call(gateway.url, { path: '/v1/requests?search=it%5Cs&limit=10' })).json,
  );
  assert.deepEqual(
    page.requests.map(({ id }) => id),
    [oldId],
  );
  const { searchParams } = new URL(clickHouse.last.url, clickHouse.url);
  assert.equal(searchParams.get('param_p0'), 'it\\\\s');
  const all = pageSchema.parse((await call(gateway.url, { path: '/v1/requests' })).json);
  const [newest, oldest] = all.requests;
  assert.deepEqual([newest?.id, oldest?.id, all.has_more], [headers['x-request-id'], oldId, false]);
  const same = { id: '', created_at: '' };
  assert.deepEqual({ ...oldest, ...same }, { ...newest, ...same });
  const { json: found } = await call(gateway.url, { path: `/v1/requests/${oldId}` });
  assert.equal(found.model, 'demo-1');
  const from = new Date(Date.now() - 60 * 86_400_000).toISOString();
  const { json } = await call(gateway.url, { path: `/v1/requests/summary?from=${from}` });
  const summary = summarySchema.parse(json);
  assert.deepEqual([summary.total.requests, summary.total.cached], [4, 3]);
  assert.equal(summary.modules[0]?.effects.answered, 3);
  assert.ok(Number(at(json, 'modules', 0, 'own_ms', 'p50')) > 0.9, 'of the bin in ClickHouse');
});

test('a system that is away fills a bounded buffer, and one that rejects a batch holds up no other', async () => {
  const errors: unknown[] = [];
  const accepted: string[] = [];
  let status = 503;
  const target = {
    name: 'it',
    flushMs: 1,
    callsAtOnce: 2,
    async send({ text }: { readonly text: string }) {
      checkAccepted('it', status);
      accepted.push(text);
    },
  };
  const sink = new LogSink({ target, bytesMax: 4000, onError: (error) => errors.push(error) });
  for (let at = 0; at < 50; at++) sink.record(sampleEndedCall());
  assert.equal(await sink.flush(20), false);
  const { waiting, dropped } = sink;
  assert.ok(
    waiting > 0 && waiting < 10 && waiting + dropped === 50,
    `${waiting} waiting, ${dropped} dropped`,
  );
  await eventually(() => errors.find((error) => /it answered 503/.test(String(error))));
  status = 400;
  assert.equal(await sink.flush(60_000), true);
  assert.deepEqual([sink.waiting, sink.dropped], [0, 50]);
  status = 200;
  sink.record(sampleEndedCall());
  assert.equal(await sink.flush(60_000), true);
  assert.equal(accepted.length, 1);
});

test('a killed process loses no call: the next one sends it', async (t) => {
  const objects = await FakeUpstream.start({ status: 200 });
  cleanUp(t, () => objects.close());
  const folder = emptyFolder(t);
  const files = join(folder, 'calls');
  const environment = {
    WEIR_DATA_DIR: join(folder, 'data'),
    WEIR_LOG_S3_URL: `${objects.url}/bucket`,
    WEIR_LOG_S3_KEY: 'AKIDEXAMPLE:secret/key',
    WEIR_LOG_FOLDER: files,
  };
  const ids: string[] = [];
  for (let kills = 0; kills < 2; kills++) {
    const killed = new WeirProcess(t, { environment, folder });
    const url = await killed.listening;
    for (let calls = 0; calls < 5; calls++)
      ids.push(String((await call(url, { path: '/v1/messages', body })).headers['x-request-id']));
    killed.signal('SIGKILL');
    await killed.exited;
  }
  assert.deepEqual(objects.requests, [], 'nothing was sent before');
  const last = new WeirProcess(t, { environment, folder });
  await last.listening;
  last.signal('SIGTERM');
  await last.exited;
  const idsOf = (lines: readonly Record<string, unknown>[]) =>
    [...new Set(lines.map(({ id }) => String(id)))].toSorted();
  assert.deepEqual(idsOf(objects.requests.flatMap(linesOf)), ids.toSorted());
  const written = readdirSync(files).flatMap((name) =>
    readFileSync(join(files, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  assert.deepEqual(idsOf(written), ids.toSorted());
  assert.deepEqual(
    readdirSync(environment.WEIR_DATA_DIR).filter((name) => name.startsWith('sink-')),
    [],
  );
});

test('files are closed by size and age, compressed, and deleted beyond their number', async (t) => {
  const folder = emptyFolder(t);
  let nowMs = Date.UTC(2026, 10, 18, 16);
  const settings = { folder, fileBytesMax: 1000, fileMsMax: 3_600_000, filesMax: 3 };
  const create = () => new LogFolder(settings, { now: () => nowMs }, (error) => assert.fail(String(error)));
  const [first, other] = [create(), create()];
  const send = (target: LogFolder, text: string) => target.send({ id: 'x', atMs: nowMs, text: `${text}\n` });
  const contents = () =>
    readdirSync(folder)
      .toSorted()
      .map((name) => {
        const bytes = readFileSync(join(folder, name));
        return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n')[0]?.slice(0, 2);
      });
  await send(first, 'a'.repeat(600));
  nowMs += 1000;
  await send(other, 'o1');
  nowMs += 1000;
  await send(first, 'b'.repeat(600));
  assert.deepEqual(
    readdirSync(folder)
      .map((name) => name.replace(/^.*\./, ''))
      .toSorted(),
    ['gz', 'jsonl', 'jsonl'],
    'the file of the other process stays open',
  );
  nowMs += 3_600_000;
  await send(first, 'c1');
  nowMs += 600_001;
  await send(first, 'c2');
  assert.deepEqual(contents().toSorted(), ['aa', 'bb', 'c1', 'o1']);
  for (const text of ['d', 'e']) {
    nowMs += 3_600_000;
    await send(first, `${text}1`);
  }
  assert.deepEqual(contents(), ['bb', 'c1', 'd1', 'e1'], 'three closed files and the open one');
  assert.ok(
    readdirSync(folder).every((name) => /^requests-\d{8}T\d{6}Z-[0-9a-f]{8}-\d+\.jsonl(\.gz)?$/.test(name)),
  );
});

function linesOf({ bytes }: SeenRequest): readonly Record<string, unknown>[] {
  return gunzipSync(bytes)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Signature Version 4, from its specification. */
function s3Authorization({ method, url, headers, bytes }: SeenRequest, secret: string): string {
  const date = String(headers['x-amz-date']);
  const [, signed = ''] = /SignedHeaders=([\w;-]+)/.exec(String(headers.authorization)) ?? [];
  const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
  assert.equal(headers['x-amz-content-sha256'], sha256(bytes));
  assert.ok(signed.split(';').includes('x-amz-content-sha256'));
  const canonical = [
    ...[method, url, ''],
    ...signed.split(';').map((name) => `${name}:${headers[name]}`),
    ...['', signed, sha256(bytes)],
  ].join('\n');
  const scope = `${date.slice(0, 8)}/eu-central-1/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const hmac = (key: string | Uint8Array, part: string) => createHmac('sha256', key).update(part).digest();
  const key = scope.split('/').reduce<string | Uint8Array>((last, part) => hmac(last, part), `AWS4${secret}`);
  const signature = Buffer.from(hmac(key, text)).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}
