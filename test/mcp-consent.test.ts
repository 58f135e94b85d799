import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import Provider from 'oidc-provider';
import { tagOf } from '../src/mcp/authorization/issuer-clients.ts';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { CookieJar } from './support/cookie-jar.ts';
import { addMember, createOrganization, type MemberSession } from './support/organizations.ts';

const form = ['content-type', 'application/x-www-form-urlencoded', 'sec-fetch-site', 'same-origin'];

/** An authorization server that many use, as the judge, and an MCP server that trusts it. */
describe('people authorize the gateway at a server behind oidc-provider', () => {
  let gateway: TestGateway;
  let owner: MemberSession;
  let provider: Provider;
  let issuer: string;
  let serverUrl: string;
  const servers: Server[] = [];
  /** What came to the MCP server as `authorization`, with what the issuer says of it. */
  const shown: { readonly credential: string; readonly account: string | undefined }[] = [];
  let account = 'ann';

  const listen = async (): Promise<readonly [Server, string]> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  };

  before(async () => {
    const [authority, issuerUrl] = await listen();
    const [resource, resourceUrl] = await listen();
    issuer = issuerUrl;
    serverUrl = `${resourceUrl}/mcp`;
    gateway = await startTestGateway({
      WEIR_MODE: 'cloud',
      WEIR_EGRESS_ALLOW: `mcp=${issuer},mcp=${resourceUrl}`,
    });
    const redirectUri = `${gateway.url}/v1/mcp/callback/${tagOf(issuer)}`;
    provider = createProvider({ issuer, resource: serverUrl, redirectUri });
    const serve = provider.callback();
    authority.on('request', (request, response) => {
      if (request.url?.startsWith('/interaction/'))
        void provider.interactionFinished(request, response, { login: { accountId: account } });
      else serve(request, response);
    });
    resource.on('request', async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      const send = (status: number, value: object, headers = {}) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(value));
      const metadata = `${resourceUrl}/.well-known/oauth-protected-resource/mcp`;
      if (request.url !== '/mcp')
        return send(200, {
          resource: serverUrl,
          authorization_servers: [issuer],
          scopes_supported: ['notes'],
        });
      const credential = request.headers.authorization ?? '';
      const token = await provider.AccessToken.find(credential.replace('Bearer ', ''));
      if (credential !== '') shown.push({ credential, account: token?.accountId });
      if (token === undefined || token.aud !== serverUrl)
        return send(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
      const { id, method, params } = JSON.parse(body);
      const tools = ['read', 'write'].map((name) => ({ name, inputSchema: { type: 'object' } }));
      const results: Readonly<Record<string, object>> = {
        'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
        'tools/list': { tools },
        'tools/call': { content: [{ type: 'text', text: `${params?.name} by ${token.accountId}` }] },
      };
      const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...results[method] };
      return send(results[method] === undefined ? 404 : 200, { jsonrpc: '2.0', id, result });
    });
    owner = await createOrganization(await Person.signUp(gateway.url));
    const stored = await owner.call({
      ...{ method: 'PUT', path: '/v1/mcp/servers/notes' },
      body: { url: serverUrl, authorization: 'person' },
    });
    assert.ok(stored.status < 300, stored.text);
    const client = await owner.call({
      ...{ method: 'PUT', path: '/v1/mcp/clients' },
      body: { issuer, client_id: 'weir', client_secret: 'a secret of the client' },
    });
    assert.equal(client.status, 200, client.text);
    assert.equal(client.json.redirect_uri, redirectUri);
  });
  after(async () => {
    await gateway.close();
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  const makeKey = async (session: MemberSession, actsFor: 'me' | null = 'me') => {
    const made = await session.call({ path: '/v1/keys', body: {} });
    const id = String(made.json.id);
    const bound = await session.call({
      method: 'PUT',
      path: `/v1/keys/${id}/person`,
      body: { person: actsFor },
    });
    assert.equal(bound.status, 200, bound.text);
    return { id, key: String(made.json.key) };
  };
  const connect = async (key: string, capabilities = {}) => {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
    return client;
  };
  const browserOf = (session: MemberSession): CookieJar => {
    const jar = new CookieJar();
    jar.set(gateway.url, 'weir_session', session.token);
    return jar;
  };
  const urlFor = async (session: MemberSession) =>
    String((await session.call({ path: '/v1/mcp/servers/notes/authorization', body: {} })).json.url);
  /** The person confirms, and comes back from the issuer: the last address. */
  const confirm = async (jar: CookieJar, url: string): Promise<URL> => {
    const page = await jar.visit(url);
    assert.equal(page.status, 200, page.text);
    const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const forward = await jar.visit(`${gateway.url}/mcp/authorize/notes`, {
      ...{ method: 'POST', headers: form, body: String(new URLSearchParams({ ticket })) },
    });
    assert.equal(forward.status, 200, forward.text);
    const target = /content="0;url=([^"]+)"/.exec(forward.text)?.[1]?.replaceAll('&#38;', '&') ?? '';
    const { url: back } = await jar.follow(target, ({ pathname }) =>
      pathname.startsWith('/v1/mcp/callback/'),
    );
    return back;
  };
  const authorize = async (session: MemberSession): Promise<void> => {
    const jar = browserOf(session);
    const done = await jar.visit(await confirm(jar, await urlFor(session)));
    assert.equal(done.status, 200, done.text);
  };

  test('the tool call says where, the person agrees, and the call goes with their own token', async () => {
    const { key } = await makeKey(owner);
    const client = await connect(key);
    const asked = await client.callTool({ name: 'notes__read', arguments: {} });
    const text = String(at(asked.content, 0, 'text'));
    const url = /http\S+mcp\/authorize\/notes\S+(?=,)/.exec(text)?.[0] ?? '';
    assert.equal(asked.isError, true);
    const jar = browserOf(owner);
    const back = await confirm(jar, url);
    const stolen = await new CookieJar().visit(back);
    assert.equal(stolen.status, 400, 'in another browser');
    const done = await jar.visit(back);
    assert.equal(done.status, 200, done.text);
    assert.equal((await jar.visit(back)).status, 400, 'once');
    const answer = await client.callTool({ name: 'notes__read', arguments: {} });
    assert.deepEqual(answer.content, [{ type: 'text', text: 'read by ann' }]);
    assert.ok(
      shown.every(({ credential }) => !credential.includes(key)),
      'the key of the client goes nowhere',
    );
    const listed = await owner.call({ path: '/v1/mcp/authorizations' });
    assert.equal(at(listed.json, 'authorizations', 0, 'state'), 'active');
    for (const { credential } of shown) {
      const token = credential.replace('Bearer ', '');
      for (const path of ['/v1/mcp/authorizations', '/v1/audit', '/v1/requests'])
        assert.ok(!(await owner.call({ path })).text.includes(token), path);
    }
    await client.close();
  });

  test('a client that can open addresses is asked to', async () => {
    const member = await addMember(owner, 'developer');
    const client = await connect((await makeKey(member)).key, { elicitation: { url: {} } });
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      account = 'bob';
      await authorize(member);
      return { action: 'accept' };
    });
    const answer = await client.callTool({ name: 'notes__write', arguments: {} });
    assert.deepEqual(answer.content, [{ type: 'text', text: 'write by bob' }]);
    assert.equal(at(asked[0], 'mode'), 'url');
    await client.close();
  });

  test('a client with a session that can open addresses gets the address in an error, as its revision wants it', async () => {
    const member = await addMember(owner, 'developer');
    const { key } = await makeKey(member);
    const client = new SessionClient(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { url: {} } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new SessionTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
    const refused = await client.callTool({ name: 'notes__write', arguments: {} }).then(
      () => assert.fail('it was called'),
      (error: unknown) => error,
    );
    assert.ok(refused instanceof UrlElicitationRequiredError, String(refused));
    const [elicitation] = refused.elicitations;
    assert.deepEqual([refused.code, elicitation?.mode], [-32042, 'url']);
    account = 'eve';
    const jar = browserOf(member);
    const done = await jar.visit(await confirm(jar, elicitation?.url ?? ''));
    assert.equal(done.status, 200, done.text);
    const answer = await client.callTool({ name: 'notes__write', arguments: {} });
    assert.deepEqual(answer.content, [{ type: 'text', text: 'write by eve' }]);
    await client.close();
  });

  test('a link authorizes nobody but the person that it is for, who is logged in', async () => {
    const member = await addMember(owner, 'developer');
    const url = await urlFor(owner);
    assert.equal((await browserOf(member).visit(url)).status, 400);
    assert.equal((await new CookieJar().visit(url)).status, 401);
    const crossSite = await browserOf(owner).visit(url, { headers: ['sec-fetch-site', 'cross-site'] });
    assert.equal(crossSite.status, 401);
    const forged = await browserOf(owner).visit(`${gateway.url}/mcp/authorize/notes`, {
      ...{ method: 'POST', headers: form, body: 'ticket=made-up' },
    });
    assert.equal(forged.status, 400);
  });

  test('keys act for nobody unless the person says so; nobody can say so for another', async () => {
    const { id, key } = await makeKey(owner, null);
    const client = await connect(key);
    await assert.rejects(client.callTool({ name: 'notes__read', arguments: {} }));
    const member = await addMember(owner, 'developer');
    const other = await member.call({
      ...{ method: 'PUT', path: `/v1/keys/${id}/person`, body: { person: owner.person.id } },
    });
    assert.equal(other.status, 400, 'only oneself');
    await client.close();
  });

  test('tool patterns of a key and rules of the server hold for lists and calls alike, at once', async () => {
    const { id, key } = await makeKey(owner);
    const client = await connect(key);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(), ['notes__read', 'notes__write']);
    const rules = await owner.call({
      method: 'PUT',
      path: `/v1/keys/${id}/access`,
      body: { tools: ['notes__r*'] },
    });
    assert.equal(rules.status, 200, rules.text);
    assert.deepEqual(await names(), ['notes__read']);
    const messageOf = (name: string) =>
      client.callTool({ name, arguments: {} }).then(
        () => '',
        (error: unknown) => String(error).replace(name, ''),
      );
    assert.equal(await messageOf('notes__write'), await messageOf('notes__other'), 'as if it did not exist');
    await client.close();
  });

  test('a member who leaves takes the authorization along', async () => {
    const member = await addMember(owner, 'developer');
    account = 'eve';
    await authorize(member);
    const client = await connect((await makeKey(member)).key);
    assert.equal((await client.callTool({ name: 'notes__read', arguments: {} })).isError, undefined);
    const removed = await owner.call({
      method: 'DELETE',
      path: `/v1/organization/members/${member.person.id}`,
    });
    assert.ok(removed.status < 300, removed.text);
    await assert.rejects(client.callTool({ name: 'notes__read', arguments: {} }));
    await client.close();
  });

  test('what a person takes back is gone', async () => {
    account = 'ann';
    await authorize(owner);
    const path = '/v1/mcp/servers/notes/authorization';
    const revoked = await owner.call({ method: 'DELETE', path });
    assert.deepEqual([revoked.status, revoked.json], [200, { revoked_at_issuer: true }], revoked.text);
    assert.equal((await owner.call({ method: 'DELETE', path })).status, 404);
    const { json } = await call(gateway.url, { path: '/.well-known/oauth-protected-resource/mcp' });
    assert.equal(json.resource, `${gateway.url}/mcp`);
    assert.equal(json.authorization_servers, undefined);
    const audit = await owner.call({ path: '/v1/audit?limit=50' });
    for (const event of ['begun', 'granted', 'revoked'])
      assert.match(audit.text, new RegExp(`mcp_authorization.${event}`));
    assert.equal(
      (await call(gateway.url, { path: '/v1/mcp/authorizations', headers: bearer('x') })).status,
      401,
    );
  });
});

interface ProviderParts {
  readonly issuer: string;
  readonly resource: string;
  readonly redirectUri: string;
}

function createProvider({ issuer, resource, redirectUri }: ProviderParts): Provider {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'weir',
        client_secret: 'a secret of the client',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'notes', audience: resource, accessTokenFormat: 'opaque' }),
      },
    },
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: 'weir', accountId: String(oidc.session?.accountId) });
      grant.addResourceScope(resource, 'notes');
      await grant.save();
      return grant;
    },
    issueRefreshToken: async () => true,
    findAccount: (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    cookies: { keys: ['a key of the provider'] },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  });
  return provider;
}
