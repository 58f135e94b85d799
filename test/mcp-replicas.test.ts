import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../src/lib/json.ts';
import { at } from './support/at.ts';
import { call, openCall } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { CookieJar } from './support/cookie-jar.ts';
import { startRpcServer, startSessionServer } from './support/mcp-servers.ts';
import { startReplicas } from './support/replicas.ts';
import { ScriptedAuthority } from './support/scripted-authority.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

function toolCall(key: string, name: string, more: JsonObject = {}) {
  return {
    path: '/mcp',
    headers: [
      ...bearer(key),
      ...['mcp-protocol-version', '2026-07-28', 'mcp-method', 'tools/call', 'mcp-name', name],
    ],
    body: {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: {}, ...more, _meta: meta },
    },
  };
}

test('a call that goes on at another replica ends at its server when the client leaves or cancels it', async (t) => {
  const server = await startSessionServer(t);
  const [one, other] = await startReplicas(t, {
    WEIR_MCP_SERVERS: JSON.stringify({ acme: { url: server.url } }),
  });
  const { key } = await (await Person.signUp(one.url)).makeKey();
  const asked = await call(one.url, toolCall(key, 'acme__ask-and-wait'));
  const { inputRequests, requestState } = Object(at(asked.json, 'result'));
  const [name = ''] = Object.keys(Object(inputRequests));
  const inputResponses = { [name]: { action: 'accept', content: { color: 'red' } } };
  const again = openCall(other.url, toolCall(key, 'acme__ask-and-wait', { requestState, inputResponses }));
  again.response.catch(() => undefined);
  await server.answered;
  again.request.destroy();
  await server.cancelled;
});

test('a client with a session cancels a call at another replica', async (t) => {
  const server = await startSessionServer(t);
  const [one, other] = await startReplicas(t, {
    WEIR_MCP_SERVERS: JSON.stringify({ acme: { url: server.url } }),
  });
  const { key } = await (await Person.signUp(one.url)).makeKey();
  const post = (url: string, message: JsonObject, session: readonly string[] = []) =>
    call(url, {
      path: '/mcp',
      headers: [...bearer(key), ...session],
      body: { jsonrpc: '2.0', ...message },
    });
  const clientInfo = { name: 'raw', version: '1' };
  const begun = await post(one.url, {
    ...{ id: 0, method: 'initialize' },
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  const session = ['mcp-session-id', String(begun.headers['mcp-session-id'])];
  const slow = post(
    one.url,
    { id: 7, method: 'tools/call', params: { name: 'acme__slow', arguments: {} } },
    session,
  );
  const isCalled = () => server.requests.some(({ body }) => body.includes('"slow"'));
  while (!isCalled()) await new Promise((resolve) => setImmediate(resolve));
  const cancellation = { method: 'notifications/cancelled', params: { requestId: 7 } };
  assert.equal((await post(other.url, cancellation, session)).status, 202);
  await server.cancelled;
  await slow;
});

describe('tokens of a person', () => {
  test('are refreshed once, however many calls at both replicas need it', async (t) => {
    const authority = await ScriptedAuthority.start(t);
    // The first tokens are over when the person is back.
    authority.tokenSeconds = 0.001;
    const credentials: (string | undefined)[] = [];
    const server = await startRpcServer({ after }, async (request, body, response) => {
      const send = (status: number, value: object, headers = {}) =>
        void response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(value));
      if (request.url !== '/mcp')
        return send(200, {
          ...{ resource: server.url, authorization_servers: [authority.url], scopes_supported: ['read'] },
        });
      const token = request.headers.authorization?.replace('Bearer ', '');
      const metadata = new URL('/.well-known/oauth-protected-resource/mcp', server.url).href;
      if (!authority.accepts(token, server.url))
        return send(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
      const { id, method } = JSON.parse(body);
      if (method === 'tools/call') credentials.push(token);
      const results: Readonly<Record<string, object>> = {
        'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
        'tools/list': { tools: [{ name: 'read', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'read' }] },
      };
      const result = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'private', ...results[method] };
      send(results[method] === undefined ? 404 : 200, { jsonrpc: '2.0', id, result });
    });
    const [one, other] = await startReplicas(t, {
      WEIR_EGRESS_ALLOW: `mcp=${authority.url},mcp=${new URL(server.url).origin}`,
    });
    const person = await Person.signUp(one.url);
    const stored = await person.call({
      ...{ method: 'PUT', path: '/v1/mcp/servers/notes' },
      body: { url: server.url, authorization: 'person' },
    });
    assert.ok(stored.status < 300, stored.text);
    const { id, key } = await person.makeKey();
    const path = `/v1/keys/${id}/person`;
    assert.equal((await person.call({ method: 'PUT', path, body: { person: 'me' } })).status, 200);
    await authorize(one.url, person, authority);
    authority.tokenSeconds = 3600;
    const made = authority.exchanges.length;
    const calls = [one, other].flatMap(({ url }) =>
      Array.from({ length: 8 }, () => call(url, toolCall(key, 'notes__read'))),
    );
    for (const { text } of await Promise.all(calls)) assert.match(text, /"text":"read"/);
    assert.equal(credentials.length, 16);
    assert.equal(new Set(credentials).size, 1);
    assert.deepEqual([authority.exchanges.length - made, authority.reuses], [1, 0]);
  });
});

/** The person confirms in a browser, and the issuer sends them back. */
async function authorize(url: string, person: Person, authority: ScriptedAuthority): Promise<void> {
  const jar = new CookieJar();
  jar.set(url, '__Host-weir_session', person.token);
  const begun = await person.call({ path: '/v1/mcp/servers/notes/authorization', body: {} });
  const { pathname, search } = new URL(String(begun.json.url));
  const page = await jar.visit(`${url}${pathname}${search}`);
  const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text);
  const forward = await jar.visit(`${url}/mcp/authorize/notes`, {
    method: 'POST',
    headers: ['content-type', 'application/x-www-form-urlencoded', 'sec-fetch-site', 'same-origin'],
    body: String(new URLSearchParams({ ticket })),
  });
  const target = /content="0;url=([^"]+)"/.exec(forward.text)?.[1]?.replaceAll('&#38;', '&');
  const back = authority.agree(target ?? assert.fail(forward.text));
  const done = await jar.visit(`${url}${back.pathname}${back.search}`);
  assert.equal(done.status, 200, done.text);
}
