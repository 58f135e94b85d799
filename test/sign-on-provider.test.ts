import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider from 'oidc-provider';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { CookieJar } from './support/cookie-jar.ts';
import { createOrganization, type MemberSession } from './support/organizations.ts';
import { adminToken, tokenIn } from './support/sign-on.ts';

/** A provider that many use, as the judge: what it refuses is wrong, and what it sends is right. */
describe('single sign-on with oidc-provider', () => {
  let gateway: TestGateway;
  let server: Server;
  let issuer: string;
  let owner: MemberSession;
  let provider: Provider;
  /** Whom the provider logs in next. */
  let account = 'ann';

  before(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    gateway = await startTestGateway({
      WEIR_MODE: 'cloud',
      WEIR_ADMIN_TOKEN: adminToken,
      WEIR_EGRESS_ALLOW: `sign-on=${issuer}`,
    });
    const { url } = gateway;
    owner = await createOrganization(await Person.signUp(url));
    const base = `${url}/v1/sign-on/${owner.organizationId}`;
    provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'weir',
          client_secret: 'a secret that nobody else knows',
          redirect_uris: [`${base}/callback`],
          backchannel_logout_uri: `${base}/logout`,
          backchannel_logout_session_required: true,
        },
        {
          ...{ client_id: 'program', client_secret: 'a secret of a program' },
          ...{ grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
      features: {
        backchannelLogout: { enabled: true },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_, audience) => ({
            ...{ scope: '', audience, accessTokenFormat: 'jwt' },
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: true },
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, email: `${sub}@acme.example`, email_verified: true, groups: ['staff'] }),
      }),
      async loadExistingGrant({ oidc }) {
        const grant = new provider.Grant({ clientId: 'weir', accountId: String(oidc.session?.accountId) });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      cookies: { keys: ['a key of the provider'] },
      // Its own refuses the address of a gateway on this machine.
      fetch: (url, init) => fetch(url, withoutDispatcher(init)),
      jwks: { keys: [await createKey()] },
    });
    const serve = provider.callback();
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/interaction/')) void interact(request, response);
      else serve(request, response);
    });
    await call(url, {
      ...{ method: 'PUT', path: '/v1/operator/domains/acme.example', headers: bearer(adminToken) },
      body: { organization_id: owner.organizationId },
    });
    const stored = await owner.call({
      ...{ method: 'PUT', path: '/v1/organization/sign-on' },
      body: {
        ...{ issuer, client_id: 'weir', client_secret: 'a secret that nobody else knows' },
        ...{ groups_claim: 'groups', group_roles: [{ group: 'staff', role: 'developer' }] },
      },
    });
    assert.equal(stored.status, 200, stored.text);
  });
  after(async () => {
    await gateway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const interact = (request: IncomingMessage, response: ServerResponse) =>
    provider.interactionFinished(request, response, { login: { accountId: account } });
  const begin = () => `${gateway.url}/v1/sign-on/start?organization=${owner.organizationId}`;
  const isCallback = ({ pathname }: URL) => pathname.endsWith('/callback');
  const roleOf = async (token: string) => {
    const { status, json } = await call(gateway.url, { path: '/v1/organization', headers: bearer(token) });
    return status === 200 ? json.role : status;
  };

  test('the test of the connection finds nothing to complain about', async () => {
    const { json, text } = await owner.call({ path: '/v1/organization/sign-on/test', body: {} });
    assert.equal(json.ok, true, text);
  });

  test('a person signs on, and again without being asked', async () => {
    const jar = new CookieJar();
    for (const _ of ['first', 'again']) {
      const back = await jar.follow(begin(), isCallback);
      const answer = await jar.visit(back.url);
      assert.deepEqual([answer.status, answer.headers.location], [303, '/login#to=%2F'], answer.text);
      assert.equal(await roleOf(tokenIn(answer) ?? ''), 'developer');
    }
  });

  test('the provider accepts a code once, and from who began', async () => {
    const jar = new CookieJar();
    const stolen = await jar.follow(begin(), isCallback);
    // The thief has the answer, and a sign-on of their own.
    const thief = new CookieJar();
    const own = await thief.follow(begin(), isCallback);
    const mixed = new URL(own.url);
    mixed.searchParams.set('code', stolen.url.searchParams.get('code') ?? '');
    assert.equal((await thief.visit(mixed)).status, 401);
    // The provider has withdrawn it, as it was shown by somebody who could not prove to have asked for it.
    assert.equal((await new CookieJar().visit(stolen.url)).status, 401);
  });

  test('a token that the provider gives to a program is a credential for calls', async () => {
    const audience = `${gateway.url}/organizations/${owner.organizationId}`;
    const key = await owner.call({ path: '/v1/keys', body: {} });
    const made = await owner.call({
      path: '/v1/organization/token-issuers',
      body: { issuer, audience, key_id: key.json.id },
    });
    assert.equal(made.status, 201, made.text);
    const tokenFor = async (resource: string) => {
      const form = { grant_type: 'client_credentials', client_id: 'program', resource };
      const { text, json } = await call(issuer, {
        path: '/token',
        headers: ['content-type', 'application/x-www-form-urlencoded'],
        body: String(new URLSearchParams({ ...form, client_secret: 'a secret of a program' })),
      });
      assert.equal(typeof json.access_token, 'string', text);
      return String(json.access_token);
    };
    const ask = async (token: string) =>
      (await call(gateway.url, { path: '/v1/pipeline', headers: bearer(token) })).status;
    assert.equal(await ask(await tokenFor(audience)), 200);
    assert.equal(await ask(await tokenFor('https://api.example')), 401, 'for another audience');
  });

  test('a logout at the provider ends the session here', async () => {
    account = 'bob';
    const jar = new CookieJar();
    const back = await jar.follow(begin(), isCallback);
    const token = tokenIn(await jar.visit(back.url)) ?? '';
    assert.equal(await roleOf(token), 'developer');
    const page = await jar.visit(`${issuer}/session/end`);
    const secret = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = new URLSearchParams({ xsrf: secret, logout: 'yes' });
    const told = new Promise((resolve, reject) => {
      provider.once('backchannel.success', resolve);
      provider.once('backchannel.error', (_, error) => reject(error));
    });
    const done = await jar.visit(`${issuer}/session/end/confirm`, {
      ...{ method: 'POST', body: String(form) },
      headers: ['content-type', 'application/x-www-form-urlencoded'],
    });
    assert.equal(done.status, 303, done.text);
    await told;
    assert.equal(await roleOf(token), 401);
  });
});

async function createKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' };
}

/** The request, on ordinary connections. */
function withoutDispatcher(init: RequestInit = {}): RequestInit {
  return Object.fromEntries(Object.entries(init).filter(([name]) => name !== 'dispatcher'));
}
