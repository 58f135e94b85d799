import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { systemClock } from '../src/lib/clock.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { MemoryCacheBackend } from '../src/storage/memory/memory-cache-backend.ts';
import { startScenarioServer } from './mcp/scenario-server.ts';
import { startScriptedServer } from './mcp/scripted-server.ts';
import { serveEndpoint } from './mcp/serve-endpoint.ts';

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const modernHeaders = { 'mcp-protocol-version': '2026-07-28' };

async function post(url: string, message: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  const body: { result?: JsonObject; error?: { code: number; message: string } } = JSON.parse(data);
  return { status: response.status, body, headers: response.headers };
}

function call(url: string, params: JsonObject, headers: Readonly<Record<string, string>> = {}) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: modernMeta } };
  return post(url, message, {
    ...modernHeaders,
    'mcp-method': 'tools/call',
    'mcp-name': String(params.name),
    ...headers,
  });
}

function initialize(url: string, capabilities: JsonObject = {}) {
  const params = { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'raw', version: '1' } };
  return post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
}

test('messages that break the protocol are refused with its own codes', async (t) => {
  const { url, calls } = await serveEndpoint(t, { servers: {} });
  const cases = [
    ['{', {}, 400, -32700],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], {}, 400, -32600],
    ['"text"', {}, 400, -32700],
    [{ id: 1, method: 'ping' }, {}, 400, -32600],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, {}, 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', {}, 400, -32700],
    [
      `{"jsonrpc":"2.0","id":1,"method":"a","params":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`,
      {},
      400,
      -32700,
    ],
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }, {}, 400, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'made.up' }, 404, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'content-type': 'text/plain' }, 415, -32603],
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'https://elsewhere.example' }, 403, -32600],
  ] as const;
  for (const [message, headers, status, code] of cases) {
    const answer = await post(url, message, headers);
    assert.deepEqual(
      [answer.status, answer.body.error?.code],
      [status, code],
      JSON.stringify(message).slice(0, 80),
    );
  }
  assert.deepEqual(calls, []);
});

test('headers that say something else than the body are refused', async (t) => {
  const { url: server } = await startScriptedServer(t, {
    tools: [
      { name: 'ü' },
      {
        name: 'far',
        inputSchema: { type: 'object', properties: { where: { type: 'string', 'x-mcp-header': 'Where' } } },
      },
    ],
  });
  const { url } = await serveEndpoint(t, { servers: { s: server } });
  const own = `${url}/servers/s`;
  const refused = [
    { 'mcp-name': 'other' },
    { 'mcp-method': 'tools/list' },
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-name': '=?base64?!!?=' },
  ];
  for (const headers of refused) {
    const { status, body } = await call(url, { name: 's__far' }, headers);
    assert.deepEqual([status, body.error?.code], [400, -32020], JSON.stringify(headers));
  }
  assert.equal((await call(own, { name: 'ü' }, { 'mcp-name': '=?base64?w7w=?=' })).status, 200);
  assert.equal((await call(url, { name: 's__far', arguments: { where: 'here' } })).body.error?.code, -32020);
  const right = await call(
    url,
    { name: 's__far', arguments: { where: 'here' } },
    { 'mcp-param-where': 'here' },
  );
  assert.equal(right.body.error, undefined);
  const other = { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const future = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: other } };
  assert.equal((await post(url, future, { 'mcp-protocol-version': '2099-01-01' })).body.error?.code, -32022);
});

test('a state of a server works on any replica, for its caller and tool alone', async (t) => {
  const scenarios = await startScenarioServer(t);
  const servers = { one: scenarios, two: scenarios };
  const [here, there, stranger] = await Promise.all([
    serveEndpoint(t, { servers }),
    serveEndpoint(t, { servers }),
    serveEndpoint(t, { servers, caller: { keyId: 'another' } }),
  ]);
  const name = 'one__test_input_required_result_request_state';
  const first = await call(here.url, { name });
  const requestState = String(first.body.result?.requestState);
  assert.ok(!requestState.includes('a state'));
  const inputResponses = { confirm: { action: 'accept', content: { ok: true } } };
  const again = { name, inputResponses, requestState };
  const done = await call(there.url, again);
  assert.match(JSON.stringify(done.body.result), /state-ok/);
  const wrong = [
    call(stranger.url, again),
    call(here.url, { ...again, name: 'two__test_input_required_result_request_state' }),
    call(here.url, { ...again, requestState: `${requestState.slice(0, -2)}AA` }),
    call(here.url, { ...again, requestState: 'a state' }),
  ];
  for (const { body } of await Promise.all(wrong)) assert.equal(body.error?.code, -32602);
});

test('a session works on all replicas, ends everywhere, and is lost with the store', async (t) => {
  const cache = new MemoryCacheBackend(systemClock);
  const { url: server } = await startScriptedServer(t, { tools: [{ name: 'look' }] });
  const servers = { s: server };
  const here = await serveEndpoint(t, { servers, cache });
  const there = await serveEndpoint(t, { servers, cache });
  const stranger = await serveEndpoint(t, { servers, cache, caller: { keyId: 'another' } });
  const restarted = await serveEndpoint(t, { servers });
  const { headers, body } = await initialize(here.url);
  assert.equal(body.result?.protocolVersion, '2025-06-18');
  const session = {
    'mcp-session-id': headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-06-18',
  };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const answer = await post(there.url, list, session);
  assert.deepEqual(answer.body.result, {
    tools: [{ name: 's__look', description: 'look', inputSchema: { type: 'object' } }],
  });
  assert.equal((await post(stranger.url, list, session)).status, 404);
  assert.equal((await post(restarted.url, list, session)).status, 404);
  assert.equal((await fetch(there.url, { method: 'DELETE', headers: session })).status, 204);
  assert.equal((await post(here.url, list, session)).status, 404);
});

test("a client answers a server's question at another replica", async (t) => {
  const cache = new MemoryCacheBackend(systemClock);
  const servers = { s: await startScenarioServer(t) };
  const here = await serveEndpoint(t, { servers, cache });
  const there = await serveEndpoint(t, { servers, cache });
  const client = new SessionClient({ name: 'older', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({
    action: 'accept',
    content: { username: 'ann', email: 'ann@example.com' },
  }));
  // A balancer that sends answers to one replica and all else to the other.
  const balanced: typeof fetch = (input, init) => {
    const isAnswer = typeof init?.body === 'string' && !init.body.includes('"method"');
    return fetch(String(input).replace(here.url, isAnswer ? there.url : here.url), init);
  };
  const transport = new SessionTransport(new URL(here.url), { fetch: balanced });
  await client.connect(transport as never);
  t.after(() => client.close());
  const { content } = await client.callTool({ name: 's__test_elicitation', arguments: { message: 'who?' } });
  assert.match(JSON.stringify(content), /ann@example.com/);
});

test('a client with sessions that can’t be asked gets a result that says so', async (t) => {
  const { url } = await serveEndpoint(t, { servers: { s: await startScenarioServer(t) } });
  const { headers } = await initialize(url);
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  const params = { name: 's__test_elicitation', arguments: { message: 'who?' } };
  const { body } = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, session);
  const { isError } = { isError: undefined, ...body.result };
  assert.ok(isError === true || body.error !== undefined, JSON.stringify(body));
});

test('a call ends at the server when its client leaves, or cancels it in its session', async (t) => {
  const ended: (() => void)[] = [];
  const begun: (() => void)[] = [];
  const { url: server } = await startScriptedServer(t, {
    tools: [{ name: 'wait' }],
    call: (_params, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.shift()?.();
          reject(new Error('cancelled'));
        });
        begun.shift()?.();
      }),
  });
  const { url } = await serveEndpoint(t, { servers: { s: server } });
  const next = (list: (() => void)[]) => new Promise<void>((resolve) => list.push(resolve));

  const leaving = new AbortController();
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  t.after(() => client.close());
  const [first, firstEnd] = [next(begun), next(ended)];
  const left = client.callTool({ name: 's__wait', arguments: {} }, { signal: leaving.signal });
  await first;
  leaving.abort();
  await assert.rejects(left);
  await firstEnd;

  const older = new SessionClient({ name: 'older', version: '1' });
  await older.connect(new SessionTransport(new URL(url)) as never);
  t.after(() => older.close());
  const cancelling = new AbortController();
  const [second, secondEnd] = [next(begun), next(ended)];
  const cancelled = older.callTool({ name: 's__wait', arguments: {} }, undefined, {
    signal: cancelling.signal,
  });
  await second;
  cancelling.abort();
  await assert.rejects(cancelled);
  await secondEnd;
});

test('streams of changes end when the gateway shuts down', async (t: TestContext) => {
  const { url: server } = await startScriptedServer(t, { tools: [{ name: 'look' }] });
  const { url, endpoint } = await serveEndpoint(t, { servers: { s: server } });
  const message = {
    jsonrpc: '2.0',
    id: 'stream',
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: modernMeta },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...modernHeaders, 'mcp-method': 'subscriptions/listen' },
    body: JSON.stringify(message),
  });
  assert.equal(response.headers.get('x-accel-buffering'), 'no');
  endpoint.leave();
  const text = await response.text();
  assert.match(text, /subscriptions\/acknowledged/);
  assert.match(text, /"id":"stream","result":\{"resultType":"complete"/);
});
