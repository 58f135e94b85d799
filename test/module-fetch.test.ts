import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { SettingsError } from '../src/gateway/settings.ts';
import type { ModuleFactory } from '../src/module-api.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { runModule } from '../src/testing/index.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { fetching } from './support/fetching-module.ts';

const body = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hello' }] };
const modules = { WEIR_MODULES: new URL('./support/fetching-module.ts', import.meta.url).pathname };

async function startServer(t: TestContext): Promise<FakeUpstream> {
  const server = await FakeUpstream.start({ body: 'found' });
  cleanUp(t, () => server.close());
  return server;
}

function pipelineOf(url: string, from = 'kit'): readonly string[] {
  return ['x-weir-pipeline', `fetching?url=${encodeURIComponent(url)}&from=${from}`];
}

describe('in local mode', () => {
  test('a module reaches any address, and the gateway counts it', async (t) => {
    const server = await startServer(t);
    const weir = await startTestGateway(modules);
    cleanUp(t, () => weir.close());
    for (const from of ['kit', 'host']) {
      const answer = await call(weir.url, {
        path: '/v1/messages',
        headers: pipelineOf(server.url, from),
        body,
      });
      assert.equal(answer.headers['x-weir-fetched'], 'found', from);
    }
    assert.match(server.last.headers['user-agent'] ?? '', /^weir\/\d/);
    assert.match(server.last.headers.via ?? '', /^1\.1 weir-/);
    const { port } = new URL(server.url);
    const labels = `{purpose="module:fetching",host="127.0.0.1",port="${port}"}`;
    assert.ok(weir.gateway.metrics().includes(`weir_egress_requests_total${labels} 2\n`));
  });

  test('a request of a module ends when the client leaves', async (t) => {
    const server = await startServer(t);
    const weir = await startTestGateway(modules);
    cleanUp(t, () => weir.close());
    const client = new AbortController();
    server.answerWith(() => {
      client.abort();
      return new Promise(() => undefined);
    });
    const headers = Object.fromEntries([pipelineOf(server.url)]);
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: client.signal };
    await assert.rejects(fetch(`${weir.url}/v1/messages`, init), { name: 'AbortError' });
    assert.equal(await server.last.over, false);
  });

  test('a request in the background goes on without the client', async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const server = await startServer(t);
    server.answerWith(() => {
      resolve();
      return { body: 'found' };
    });
    const run = runModule(fetching);
    const client = new AbortController();
    client.abort();
    await run(body, {
      options: `url=${encodeURIComponent(server.url)}&from=background`,
      signal: client.signal,
    });
    await promise;
  });
});

describe('in cloud mode', () => {
  const fetchedBy = async (t: TestContext, url: string, allow?: string) => {
    const weir = await startCloud(t, {
      ...modules,
      ...(allow !== undefined && { WEIR_EGRESS_ALLOW: allow }),
    });
    const { key } = await (await Person.signUp(weir.url)).makeKey();
    const headers = [...bearer(key), ...pipelineOf(url)];
    const answers = [];
    for (let at = 0; at < 2; at++) {
      const answer = await call(weir.url, { path: '/v1/messages', headers, body });
      answers.push(answer.headers['x-weir-fetched']);
    }
    return { answers, weir };
  };

  test('a module reaches only what the operator allows', async (t) => {
    const server = await startServer(t);
    const { answers, weir } = await fetchedBy(t, server.url);
    assert.deepEqual(answers, ['EGRESS_NOT_ALLOWED', 'EGRESS_NOT_ALLOWED']);
    assert.equal(server.requests.length, 0);
    const logged = weir.logLines.filter((line) => line.includes('refused an outbound connection'));
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /module:fetching/);
    assert.match(weir.gateway.metrics(), /weir_egress_refused_total\{purpose="module:fetching",[^}]*\} 2\n/);
  });

  test('an allowed address may be private', async (t) => {
    const server = await startServer(t);
    for (const allow of [server.url, `fetching=${server.url}`])
      assert.deepEqual((await fetchedBy(t, server.url, allow)).answers, ['found', 'found']);
    const other = `exact-cache=${server.url}`;
    assert.deepEqual((await fetchedBy(t, server.url, other)).answers[0], 'EGRESS_NOT_ALLOWED');
  });

  test('a module that may reach every public address reaches no private one', async (t) => {
    const server = await startServer(t);
    const { answers } = await fetchedBy(t, server.url, 'fetching=*');
    assert.deepEqual(answers, ['EGRESS_PRIVATE_ADDRESS', 'EGRESS_PRIVATE_ADDRESS']);
    assert.equal(server.requests.length, 0);
  });
});

test('a name in the allow-list that is no module or provider stops the start', async () => {
  const allow = { WEIR_EGRESS_ALLOW: 'serach=https://api.example.com' };
  await assert.rejects(startTestGateway(allow), (error) => {
    assert.ok(error instanceof SettingsError);
    assert.match(error.message, /WEIR_EGRESS_ALLOW: there is no module or provider "serach"/);
    return true;
  });
});

describe('runModule', () => {
  test('answers requests of a module with the fetch of the test', async () => {
    const run = runModule(fetching, {}, { fetch: async (input) => new Response(`from ${input}`) });
    const { moduleHeaders } = await run(body, { options: 'url=https://api.example.com/x' });
    assert.deepEqual(moduleHeaders, ['x-weir-fetched', 'from https://api.example.com/x']);
  });

  test('rejects a module that calls the global fetch, even if it handles the error', async (t) => {
    const server = await startServer(t);
    const options = `url=${encodeURIComponent(server.url)}&from=global`;
    await assert.rejects(runModule(fetching)(body, { options }), /global fetch.*kit\.fetch.*host\.fetch/);
    assert.equal(server.requests.length, 0);
  });

  test('finds it in work that the module leaves behind as well', async (t) => {
    const server = await startServer(t);
    const careless: ModuleFactory = (host) => ({
      ...fetching(host),
      async handle(exchange, next, kit) {
        kit.runInBackground(async () => void (await fetch(server.url)));
        return next(exchange);
      },
    });
    await assert.rejects(runModule(careless)(body, { options: 'url=x' }), /global fetch/);
    assert.equal(server.requests.length, 0);
  });

  test('leaves the global fetch to the test and its upstream', async (t) => {
    const server = await startServer(t);
    const options = 'url=https://api.example.com';
    const upstream = async () => {
      await fetch(server.url);
      throw new Error('no answer');
    };
    const run = runModule(fetching, {}, { fetch: async () => new Response('') });
    await run(body, { options, upstream });
    assert.equal((await fetch(server.url)).status, 200);
    assert.equal(server.requests.length, 2);
  });
});
