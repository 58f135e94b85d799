import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { queryObjects } from 'node:v8';
import type { Environment } from '../src/gateway/settings.ts';
import { readSettings } from '../src/gateway/settings.ts';
import { ProviderDirectory } from '../src/providers/provider-directory.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { openChains, readChain } from './support/audit-chains.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person } from './support/cloud.ts';
import { collectGarbage } from './support/collect-garbage.ts';
import { eventually } from './support/eventually.ts';
import { replicaSettings } from './support/replicas.ts';
import { ResponseSocket } from './support/response-socket.ts';
import { SteadyLoad, startSlowStreams } from './support/steady-load.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const question = { model: 'demo-1', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] };
/** `npm run test:reload` takes more. */
const reloads = Number(process.env.TEST_RELOADS ?? 8);

async function startReloadable(t: TestContext, environment: Environment = {}) {
  const folder = emptyFolder(t);
  const settings = { PORT: '0', WEIR_DATA_DIR: folder, WEIR_DASHBOARD: 'off', ...environment };
  const started = await startTestGateway(settings);
  cleanUp(t, () => started.close());
  const reload = (changes: Environment) => started.gateway.reload(readSettings({ ...settings, ...changes }));
  return { ...started, reload };
}

/** Clients that call one after the other on connections that they keep, until they are stopped. */
function startClients(url: string, count: number) {
  const failures: string[] = [];
  let done = 0;
  let isStopped = false;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isStopped) {
      const answer = await call(url, { path: '/v1/messages', body: question, agent }).catch(
        (error: unknown) => ({
          status: 0,
          text: String(error),
        }),
      );
      if (answer.status === 200) done++;
      else failures.push(`${answer.status} ${answer.text}`);
    }
    agent.destroy();
  };
  const clients = Array.from({ length: count }, client);
  return {
    done: () => done,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      return { failures, done };
    },
  };
}

test('reloads under load fail no call, keep connections, counts and metrics, and leave nothing behind', async (t) => {
  const { url, gateway, reload, logLines } = await startReloadable(t);
  // A real gateway writes its log; here the lines of all calls would stay in memory.
  const heapBytes = () => {
    logLines.length = 0;
    return usedBytes();
  };
  const clients = startClients(url, 2);
  const handles = () => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length;
  let first = 0;
  let heapBefore = 0;
  for (let at = 0; at < reloads; at++) {
    const before = clients.done();
    await reload({ WEIR_PIPELINE: at % 2 === 0 ? 'exact-cache' : '', WEIR_LOG_DAYS: String(at + 1) });
    await eventually(() => (clients.done() > before ? true : undefined));
    if (at !== 2) continue;
    first = handles();
    heapBefore = heapBytes();
  }
  const { failures, done } = await clients.stop();
  assert.deepEqual(failures, []);
  const requests = [...gateway.metrics().matchAll(/^weir_requests_total\{[^}]*\} (\d+)/gm)];
  assert.equal(
    requests.reduce((sum, [, count]) => sum + Number(count), 0),
    done,
  );
  assert.equal([...gateway.metrics().matchAll(/^weir_config_info\{/gm)].length, 1);
  // A few of the former generations may still be closing.
  await eventually(() => (handles() <= first + 2 ? true : undefined));
  // A generation that stays would take megabytes, and so does one that is still closing. V8 compiles more code in the first ones.
  const growth = await eventually(() => {
    const each = (heapBytes() - heapBefore) / (reloads - 3) / 1024;
    return each < (reloads > 8 ? 100 : 500) ? each : undefined;
  });
  t.diagnostic(`${done} calls; the heap grew by ${Math.round(growth)} KiB for each of ${reloads} reloads`);
});

test('a reload leaves no objects behind, whatever it changes', async (t) => {
  const { url, reload } = await startReloadable(t);
  const body = JSON.stringify(question);
  const generations = () => queryObjects(ProviderDirectory, { format: 'count' });
  const atStart = generations();
  const reloadOften = async (from: number, count: number): Promise<void> => {
    for (let at = from; at < from + count; at++) {
      const rules = { code: { pattern: `A${at}-[0-9]{4}`, action: 'redact' } };
      await reload({
        WEIR_LOG_DAYS: String(at),
        WEIR_PIPELINE: `exact-cache?ttl=${at}m,guardrails?models=off&rules=code`,
        WEIR_GUARDRAILS_RULES: JSON.stringify(rules),
        WEIR_ACME_BASE_URL: `http://127.0.0.1:9/v${at}`,
        ACME_API_KEY: `sk-${at}`,
      });
      assert.equal((await call(url, { path: '/v1/messages', body })).status, 200);
      for (const path of ['/v1/models', '/metrics']) assert.equal((await call(url, { path })).status, 200);
    }
  };
  // Not bytes: V8 compiles code in the first hundred reloads, which are megabytes, and throws it away later.
  const objects = () => queryObjects(Object, { format: 'count' });
  // Until then, objects are made that stay for good.
  await reloadOften(1, 8);
  const before = objects();
  const count = 12;
  await reloadOften(9, count);
  // A generation that stays has tens of thousands. The last of them may still be closing.
  const more = await eventually(() => {
    const each = (objects() - before) / count;
    return each < 50 ? each : undefined;
  });
  assert.ok(generations() <= atStart);
  t.diagnostic(`${more.toFixed(1)} objects of ${before} more for each reload`);
});

function usedBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('a stream that began before a reload goes on with the settings it began with', async (t) => {
  const { url, reload } = await startReloadable(t, { WEIR_KEEP_ALIVE: '1h' });
  const body = { ...question, stream: true, messages: [{ role: 'user', content: 'Tell me about the sea' }] };
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await reload({ WEIR_PIPELINE: 'exact-cache' });
  assert.match(await response.text(), /message_stop/);
  assert.equal(response.headers.get('x-weir-cache'), 'bypass');
  await call(url, { path: '/v1/messages', body: question });
  const again = await call(url, { path: '/v1/messages', body: question });
  assert.equal(again.headers['x-weir-cache'], 'hit');
});

test('a ceiling holds across a reload, also for a call that began before it', async (t) => {
  const fake = await FakeUpstream.start();
  cleanUp(t, () => fake.close());
  const priced = { prices: { input: 0, output: 10_000 } };
  const { url, reload } = await startReloadable(t, {
    WEIR_MINE_BASE_URL: fake.url,
    WEIR_PRICES_MINE: JSON.stringify({ m: priced }),
    WEIR_PIPELINE: 'cost-guard?day=1&wait=0s',
  });
  // 60 tokens are held for each call, and 20 are used: 0.60 and 0.20 dollars.
  const answered = Promise.withResolvers<void>();
  fake.answerWith(async () => {
    await answered.promise;
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
    return { body: { id: 'a', model: 'm', choices, usage: { prompt_tokens: 1, completion_tokens: 20 } } };
  });
  const ask = () =>
    call(url, { path: '/v1/messages', body: { ...question, model: 'mine/m', max_tokens: 60 } });
  const early = ask();
  await eventually(() => (fake.requests.length === 1 ? true : undefined));
  await reload({ WEIR_LOG_DAYS: '3' });
  const refused = await ask();
  assert.deepEqual([refused.status, /cost_ceiling_exceeded/.test(refused.text)], [402, true], refused.text);
  answered.resolve();
  assert.equal((await early).status, 200);
  await reload({ WEIR_LOG_DAYS: '4' });
  // 0.20 are spent, then 0.40; a third call could pass the ceiling.
  assert.deepEqual([(await ask()).status, (await ask()).status, (await ask()).status], [200, 200, 402]);
});

test('a WebSocket stays open across reloads with the settings it was opened with; a new one has the new ones', async (t) => {
  const { url, reload } = await startReloadable(t, { WEIR_ALIASES: '{"fast": ["demo-1"]}' });
  const before = await ResponseSocket.open(t, url);
  const fields = { model: 'fast', input: 'Hello there', max_output_tokens: 50 };
  assert.equal((await before.create(fields)).error, undefined);
  for (const days of ['3', '4']) {
    await reload({ WEIR_ALIASES: undefined, WEIR_LOG_DAYS: days });
    const answer = await before.create(fields);
    assert.deepEqual([answer.error, answer.text.length > 0], [undefined, true]);
  }
  const after = await ResponseSocket.open(t, url);
  assert.match(JSON.stringify((await after.create(fields)).error), /model_not_found/);
});

test('limits count across reloads, and data in memory stays', async (t) => {
  const limit = { WEIR_LIMIT_REQUESTS_PER_MINUTE: '3', WEIR_DATA_DIR: ':memory:' };
  const { url, reload } = await startReloadable(t, limit);
  for (const days of ['1', '2', '3']) {
    assert.equal((await call(url, { path: '/v1/messages', body: question })).status, 200);
    await reload({ WEIR_LOG_DAYS: days });
  }
  assert.equal((await call(url, { path: '/v1/messages', body: question })).status, 429);
  await eventually(async () => {
    const { json } = await call(url, { path: '/v1/requests' });
    return Array.isArray(json.requests) && json.requests.length >= 3 ? true : undefined;
  });
});

test('settings that are wrong, or that hold for a process, change nothing and are named', async (t) => {
  const { url, reload } = await startReloadable(t, { WEIR_SECRET: 's'.repeat(32) });
  const { json: before } = await call(url, { path: '/v1/pipeline' });
  await assert.rejects(reload({ WEIR_PIPELINE: 'no-such-module' }), /no-such-module/);
  await assert.rejects(reload({ WEIR_CONFIGURATIONS: '{"nosuch": {"a": {}}}' }), /there is no such module/);
  const wrong = { WEIR_MODE: 'cloud', PORT: '1', WEIR_SECRET: 'hunter2'.repeat(6), WEIR_LOG_DAYS: '5' };
  await assert.rejects(reload(wrong), ({ message }: Error) => {
    assert.match(
      message,
      /WEIR_MODE: can't change .* \(local before, cloud now\)\nPORT: .*\nWEIR_SECRET: [^(]*$/,
    );
    return !message.includes('hunter2');
  });
  assert.deepEqual((await call(url, { path: '/v1/pipeline' })).json, before);
});

for (const workers of [1, 2])
  test(`a changed file, a signal and a request reload ${workers === 1 ? 'one process' : 'workers'}; a broken file changes nothing`, async (t) => {
    const folder = emptyFolder(t);
    mkdirSync(join(folder, 'a'));
    const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
    // As Kubernetes mounts a map: a link to a folder, which is replaced.
    write('a/weir.yaml', 'log: {level: error}\npipeline: cost-guard\n');
    symlinkSync('a', join(folder, 'now'));
    const environment = { WEIR_CONFIG: 'now/weir.yaml', WEIR_WORKERS: String(workers) };
    const weir = new WeirProcess(t, { folder, environment });
    // It has read the file, and does not serve yet.
    await eventually(() => (existsSync(join(folder, 'data')) ? true : undefined));
    write('a/weir.yaml', 'log: {level: error}\npipeline: exact-cache\n');
    const url = await weir.listening;
    const pipeline = async () => (await call(url, { path: '/v1/pipeline' })).json.pipelineConfig;
    const becomes = (list: string) =>
      eventually(async () => ((await pipeline()) === list ? true : undefined));
    await becomes('exact-cache');

    mkdirSync(join(folder, 'b'));
    write('b/weir.yaml', 'log: {level: error}\npipeline: tool-cache\n');
    symlinkSync('b', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'now'));
    await becomes('tool-cache');

    write('b/weir.yaml', 'pipelin: exact-cache\nlog: {level: loud}\n');
    const refused = await call(url, { method: 'POST', path: '/v1/admin/reload' });
    assert.equal(refused.status, 400);
    assert.match(
      refused.text,
      /now\/weir.yaml:1:1: .*did you mean \\"pipeline\\"\?.*weir.yaml:2:14: log.level/,
    );
    assert.equal(await pipeline(), 'tool-cache');

    write('b/weir.yaml', 'log: {level: error}\npipeline: exact-cache\nrequest_log: {days: 3}\n');
    const reloaded = await call(url, { method: 'POST', path: '/v1/admin/reload' });
    assert.equal(reloaded.status, 200, reloaded.text);
    assert.deepEqual(reloaded.json.changed, ['pipeline', 'request_log.days']);
    await becomes('exact-cache');

    // New processes take seconds of CPU time; test/workers.test.ts sends them the signal.
    if (workers === 1) {
      write('b/weir.yaml', 'log: {level: error}\npipeline: tool-cache\n');
      weir.signal('SIGHUP');
      await becomes('tool-cache');
    }
    // `npm run test:reload` takes as many as with one process.
    const clients = startClients(url, 2);
    for (let at = 0; at < (reloads > 8 ? reloads : 2 - workers); at++) {
      write('b/weir.yaml', `log: {level: error}\npipeline: tool-cache\nrequest_log: {days: ${at + 5}}\n`);
      const again = await call(url, { method: 'POST', path: '/v1/admin/reload' });
      assert.equal(again.status, 200, again.text);
      const before = clients.done();
      await eventually(() => (clients.done() > before ? true : undefined));
    }
    const { failures, done } = await clients.stop();
    assert.deepEqual(failures, []);
    t.diagnostic(`${done} calls during the last reloads`);
    // Workers that were replaced may not have left yet.
    const version = await eventually(async () => {
      const { processes } = Object((await call(url, { path: '/v1/diagnostics' })).json);
      if (!Array.isArray(processes)) return undefined;
      const versions = new Set(processes.map(({ configuration }) => String(configuration)));
      return processes.length === workers && versions.size === 1 ? [...versions][0] : undefined;
    });
    const { text } = await call(url, { path: '/metrics' });
    assert.match(text, new RegExp(`weir_config_info\\{version="${version}"`));
    const audit = await openChains(t, { WEIR_DATA_DIR: join(folder, 'data') });
    const recorded = (await readChain(audit, 'instance')).map(({ fields }) => fields);
    const byFile = recorded.filter(({ trigger }) => trigger === 'file' || trigger === 'signal');
    // The operator's requests have entries of their own, and the file is read once for each change.
    assert.ok(recorded.every(({ event }) => event === 'settings.reloaded'));
    assert.deepEqual(byFile[0]?.changed, ['pipeline']);
    assert.equal(byFile.length, new Set(byFile.map(({ id }) => id)).size);
    // Processes of the last reload may still be starting.
    weir.signal('SIGTERM');
    assert.equal((await weir.exited).code, 0);
  });

test('replicas reload under load: no call fails, and every process ends with the last version', async (t) => {
  const provider = await startSlowStreams(200);
  cleanUp(t, async () => provider.close());
  const token = 'operator-of-both-replicas';
  const common = await replicaSettings(t, {
    WEIR_MODE: 'cloud',
    WEIR_ANTHROPIC_BASE_URL: provider.url,
    WEIR_ADMIN_TOKEN: token,
    WEIR_METRICS_TOKEN: token,
    WEIR_CONFIG: 'weir.yaml',
  });
  const times = reloads > 8 ? reloads : 1;
  const start = (workers: number) => {
    const folder = emptyFolder(t);
    const write = (days: number) =>
      writeFileSync(join(folder, 'weir.yaml'), `request_log: {days: ${days}}\n`);
    write(1);
    const environment = { ...common, WEIR_WORKERS: String(workers) };
    return { write, weir: new WeirProcess(t, { folder, environment }), loaded: '' };
  };
  // `npm run test:reload` takes workers, too.
  const replicas = [start(1), start(times > 8 ? 2 : 1)];
  const urls = await Promise.all(replicas.map(({ weir }) => weir.listening));
  const [first = ''] = urls;
  const { key } = await (await Person.signUp(first)).makeKey();
  let turn = 0;
  const load = new SteadyLoad({ place: () => urls[turn++ % 2] ?? first, key, streams: 2, others: 2 });
  for (let at = 2; at < times + 2; at++) {
    const [calls, streams] = [load.ids.length, load.streamsDone];
    await Promise.all(
      replicas.map(async (replica, index) => {
        replica.write(at);
        const sent = { method: 'POST', path: '/v1/admin/reload', headers: bearer(token) };
        const { status, text, json } = await call(urls[index] ?? first, sent);
        assert.equal(status, 200, text);
        replica.loaded = String(json.version);
      }),
    );
    await eventually(() => (load.ids.length > calls && load.streamsDone > streams ? true : undefined));
  }
  await load.stop();
  assert.deepEqual(load.failures, new Map());
  t.diagnostic(`${load.ids.length} calls during ${times} reloads of each replica`);

  const [version = '', ...others] = new Set(replicas.map(({ loaded }) => loaded));
  assert.deepEqual(others, []);
  const processes = times > 8 ? 3 : 2;
  // Workers that were replaced may not have left yet.
  await eventually(async () => {
    const { json } = await call(first, { path: '/v1/diagnostics', headers: bearer(token) });
    const versions = [json.processes].flat().map((one) => Object(one).configuration);
    return versions.length === processes && versions.every((one) => one === version) ? true : undefined;
  });
  for (const [index, { weir }] of replicas.entries()) {
    const { text } = await call(urls[index] ?? first, { path: '/metrics', headers: bearer(token) });
    const shown = [...text.matchAll(/^weir_config_info\{version="([^"]*)"/gm)].map(([, one]) => one);
    assert.deepEqual([...new Set(shown)], [version]);
    await eventually(() => {
      const [last = ''] = weir.stdout
        .split('\n')
        .filter((line) => line.includes('was reloaded'))
        .slice(-1);
      return last.includes(`"version":"${version}"`) ? true : undefined;
    });
    assert.doesNotMatch(weir.stdout, /"level":(?:50|60|"error"|"fatal")/);
    weir.signal('SIGTERM');
    assert.equal((await weir.exited).code, 0);
  }
});
