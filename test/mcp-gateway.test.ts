import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  Client,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { startScriptedServer } from './mcp/scripted-server.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';

async function connect(t: TestContext, url: string, token?: string) {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = {
    'user-agent': 'an-agent/1.0',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  t.after(() => client.close());
  return client;
}

test('every call of a tool is a row of the log, and counts in no sums', async (t) => {
  const { url: server } = await startScriptedServer(t, {
    tools: [{ name: 'look' }, { name: 'break' }],
    async call({ name }) {
      return { content: [{ type: 'text', text: String(name) }], ...(name === 'break' && { isError: true }) };
    },
  });
  const weir = await startTestGateway({ WEIR_MCP_SERVERS: JSON.stringify({ scripted: { url: server } }) });
  t.after(() => weir.close());
  const client = await connect(t, weir.url);
  await client.callTool({ name: 'scripted__look', arguments: {} });
  await client.callTool({ name: 'scripted__break', arguments: {} });
  await assert.rejects(client.callTool({ name: 'scripted__none', arguments: {} }));
  const logged = async (query: string) => {
    const { json } = await call(weir.url, { method: 'GET', path: `/v1/requests${query}` });
    const { requests } = z.object({ requests: z.array(row) }).parse(json);
    return requests.map((one) => [one.model, one.status, one.error_code, one.stop_reason]);
  };
  assert.deepEqual(await logged(''), [
    ['scripted__none', 404, 'not_found', null],
    ['scripted__break', 200, null, 'tool_error'],
    ['scripted__look', 200, null, 'end'],
  ]);
  assert.deepEqual(await logged('?model=scripted__look&client=an-agent'), [
    ['scripted__look', 200, null, 'end'],
  ]);
  const summary = await call(weir.url, { method: 'GET', path: '/v1/requests/summary' });
  assert.equal(at(summary.json, 'total', 'requests'), 0, summary.text);
  const metrics = await call(weir.url, { method: 'GET', path: '/metrics' });
  assert.match(metrics.text, /weir_mcp_calls_total\{server="scripted",ending="complete"\} 2/);
  assert.match(metrics.text, /weir_mcp_calls_total\{server="none",ending="failed"\} 1/);
  assert.match(metrics.text, /weir_mcp_call_seconds_count\{server="scripted"\} 2/);
});

test('a call in which the server asks is a row for each of its rounds', async (t) => {
  const { url: server } = await startScriptedServer(t, {
    tools: [{ name: 'ask' }],
    call: async ({ inputResponses }) =>
      inputResponses === undefined
        ? { resultType: 'input_required', inputRequests: { name: question }, requestState: 'asked' }
        : { content: [{ type: 'text', text: 'answered' }] },
  });
  const weir = await startTestGateway({ WEIR_MCP_SERVERS: JSON.stringify({ scripted: { url: server } }) });
  t.after(() => weir.close());
  const client = new SessionClient({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }));
  await client.connect(new SessionTransport(new URL(`${weir.url}/mcp`)));
  t.after(() => client.close());
  await client.callTool({ name: 'scripted__ask', arguments: {} });
  const { json } = await call(weir.url, { method: 'GET', path: '/v1/requests' });
  const { requests } = z.object({ requests: z.array(row) }).parse(json);
  assert.deepEqual(new Set(requests.map((one) => one.stop_reason)), new Set(['input_required', 'end']));
});

const question = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
};

const row = z.object({
  model: z.string(),
  status: z.number(),
  error_code: z.string().nullable(),
  stop_reason: z.string().nullable(),
});

test('without a key the endpoint says how to authenticate; a key is held to its limits', async (t) => {
  const { url: server } = await startScriptedServer(t, { tools: [{ name: 'look' }] });
  const weir = await startCloud(t, {
    WEIR_MCP_SERVERS: JSON.stringify({ scripted: { url: server } }),
  });
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const refused = await call(weir.url, { path: '/mcp', body: message });
  assert.equal(refused.status, 401);
  assert.doesNotMatch(refused.headers['www-authenticate'] ?? '', /error=/);
  const wrong = await call(weir.url, { path: '/mcp', body: message, headers: bearer('sk-weir-wrong') });
  assert.match(wrong.headers['www-authenticate'] ?? '', /^Bearer .*, error="invalid_token"$/);
  for (const path of ['/mcp', '/mcp/3f0f7c5e-7a37-4b0b-9d5a-2f3c1c0a0001', '/mcp/servers/scripted']) {
    const response = await fetch(`${weir.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    assert.ok(resourceMetadataUrl !== undefined, path);
    const found = await discoverOAuthProtectedResourceMetadata(`${weir.url}${path}`, { resourceMetadataUrl });
    assert.deepEqual(
      [found.resource, found.authorization_servers, found.bearer_methods_supported],
      [`${weir.url}${path}`, undefined, ['header']],
    );
    // Clients that know no challenge look at the well-known place of the path.
    assert.deepEqual(await discoverOAuthProtectedResourceMetadata(`${weir.url}${path}`), found);
  }
  const person = await Person.signUp(weir.url);
  const { id, key } = await person.makeKey();
  const path = `/v1/keys/${id}/limits`;
  await person.call({ method: 'PUT', path, body: { requests_per_minute: 3 } });
  const client = await connect(t, weir.url, key);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['scripted__look'],
  );
  await client.callTool({ name: 'scripted__look', arguments: {} });
  const limited = await call(weir.url, { path: '/mcp', body: message, headers: bearer(key) });
  assert.equal(limited.status, 429, limited.text);
  const elsewhere = await call(weir.url, {
    path: '/mcp/another',
    body: message,
    headers: bearer((await person.makeKey()).key),
  });
  assert.equal(elsewhere.status, 404);
});
