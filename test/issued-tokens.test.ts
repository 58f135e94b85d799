import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { decodeProtectedHeader, exportJWK, SignJWT } from 'jose';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { createOrganization, type MemberSession } from './support/organizations.ts';
import { makeProject } from './support/projects.ts';
import { answeredText } from './support/sandbox.ts';
import { ScriptedIssuer, sendJson, type TokenClaims } from './support/scripted-issuer.ts';

const question = {
  model: 'claude-sonnet-4-5',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'Hello' }],
};
const issuersPath = '/v1/organization/token-issuers';

/** An organization that accepts tokens of a scripted issuer. */
class Stage {
  readonly issuer: ScriptedIssuer;
  readonly provider: FakeUpstream;
  readonly urls: readonly [string, string];
  readonly owner: MemberSession;
  readonly keyId: string;
  readonly key: string;

  static async open(t: TestContext, stores: string, more: object = {}): Promise<Stage> {
    const start = gatewaysOnStores[stores];
    assert.ok(start);
    const issuer = await ScriptedIssuer.start(t);
    const provider = await FakeUpstream.start({ body: answeredText });
    t.after(() => provider.close());
    const urls = await start(t, {
      WEIR_EGRESS_ALLOW: issuer.allowance,
      WEIR_ANTHROPIC_BASE_URL: provider.url,
    });
    const owner = await createOrganization(await Person.signUp(urls[0]));
    await owner.call({ method: 'PUT', path: '/v1/byok/anthropic', body: { key: 'sk-ant-of-the-tests' } });
    const made = await owner.call({ path: '/v1/keys', body: { name: 'template' } });
    const stage = new Stage({ issuer, provider, urls, owner }, made);
    const stored = await stage.configure(more);
    assert.equal(stored.status, 201, stored.text);
    return stage;
  }

  private constructor(
    { issuer, provider, urls, owner }: Pick<Stage, 'issuer' | 'provider' | 'urls' | 'owner'>,
    { json }: RawAnswer,
  ) {
    [this.issuer, this.provider, this.urls, this.owner] = [issuer, provider, urls, owner];
    [this.keyId, this.key] = [String(json.id), String(json.key)];
  }

  get audience(): string {
    return `${this.urls[0]}/organizations/${this.owner.organizationId}`;
  }

  configure(more: object = {}): Promise<RawAnswer> {
    const body = { issuer: this.issuer.url, audience: this.audience, key_id: this.keyId, ...more };
    return this.owner.call({ path: issuersPath, body });
  }

  token(claims: TokenClaims = {}, header: object = {}): Promise<string> {
    return this.issuer.sign({ aud: this.audience, sub: 'ann', ...claims }, header);
  }

  /** A call to a model, by the other replica. */
  ask(token: string, body: object = question): Promise<RawAnswer> {
    return call(this.urls[1], { path: '/v1/messages', body, headers: bearer(token) });
  }
}

for (const stores of Object.keys(gatewaysOnStores))
  describe(`tokens of an issuer, on ${stores}`, () => {
    test('stand for an API key until the issuer, the key or the token ends, on all replicas at once', async (t) => {
      const stage = await Stage.open(t, stores);
      const token = await stage.token();
      assert.equal((await stage.ask(token)).status, 200);
      assert.equal((await call(stage.urls[0], { path: '/v1/models', headers: bearer(token) })).status, 200);
      const pipeline = await call(stage.urls[1], { path: '/v1/pipeline', headers: bearer(token) });
      assert.equal(pipeline.status, 200, pipeline.text);
      const listed = await stage.owner.call({ path: issuersPath });
      const path = `${issuersPath}/${at(listed.json, 'token_issuers', 0, 'id')}`;
      assert.equal((await stage.owner.call({ method: 'DELETE', path })).status, 204);
      assertRefused(await stage.ask(token));
      assertRefused(await call(stage.urls[1], { path: '/v1/models', headers: bearer(token) }));
      assert.equal((await stage.configure()).status, 201);
      const next = await stage.token({ jti: 'next' });
      assert.equal((await stage.ask(next)).status, 200);
      await stage.owner.call({ method: 'DELETE', path: `/v1/keys/${stage.keyId}` });
      assertRefused(await stage.ask(next));
    });

    test('have the budget of their end user, and that of no other', async (t) => {
      const stage = await Stage.open(t, stores);
      const [ann, bob] = [await stage.token(), await stage.token({ sub: 'bob' })];
      const made = await stage.owner.call({
        path: '/v1/organization/budgets',
        body: { name: 'Ann', scope: 'end_user', end_user: 'ann', limit_usd: '0.000000001', period: 'day' },
      });
      assert.equal(made.status, 201, made.text);
      const refused = await stage.ask(ann, { ...question, metadata: { user_id: 'bob' } });
      assert.notEqual(refused.status, 200, refused.text);
      const allowed = await stage.ask(bob, { ...question, metadata: { user_id: 'ann' } });
      assert.equal(allowed.status, 200, allowed.text);
    });
  });

describe('a token of an issuer', () => {
  const stores = 'the embedded store';

  test('is refused if it is forged, expired, for others, or of another kind', async (t) => {
    const stage = await Stage.open(t, stores, { required_claims: [{ claim: 'groups', values: ['ai'] }] });
    const { issuer } = stage;
    const good = { groups: ['staff', 'ai'] };
    assert.equal((await stage.ask(await stage.token(good))).status, 200);
    const seconds = Math.floor(Date.now() / 1000);
    const cases: Readonly<Record<string, readonly [TokenClaims, object?]>> = {
      expired: [{ exp: seconds - 90 }],
      'without an end': [{ exp: undefined }],
      'not valid yet': [{ nbf: seconds + 90 }],
      'from the future': [{ iat: seconds + 90 }],
      'for the dashboard of the company': [{ aud: 'weir' }],
      'for a part of the audience': [{ aud: stage.audience.slice(0, -1) }],
      'without an audience': [{ aud: undefined }],
      'of another issuer': [{ iss: 'https://login.example' }],
      'of an issuer with another spelling': [{ iss: `${issuer.url}/` }],
      'without a subject': [{ sub: undefined }],
      'with a subject that is no text': [{ sub: { name: 'ann' } }],
      'without the required claim': [{ groups: undefined }],
      'with other values': [{ groups: 'ai2' }],
      'bound to a key': [{ cnf: { jkt: 'x' } }],
      'a logout token': [{}, { typ: 'logout+jwt' }],
      'with an extension that must be known': [{}, { crit: ['exp'] }],
      'naming a key that leads out of its place': [{}, { kid: '../../keys' }],
      'naming a key by SQL': [{}, { kid: "' or 1=1 --" }],
    };
    for (const [name, [claims, header]] of Object.entries(cases)) {
      const token = await stage.token({ ...good, ...claims }, header).catch(() => undefined);
      if (token === undefined) continue;
      const answer = await stage.ask(token);
      assert.equal(answer.status, 401, `${name}: ${answer.text}`);
    }
    // Clocks differ by seconds.
    assert.equal((await stage.ask(await stage.token({ ...good, exp: seconds - 20 }))).status, 200);
    assert.equal((await stage.ask(await stage.token({ ...good, aud: [stage.audience, 'x'] }))).status, 200);
    assert.equal((await stage.ask(await stage.token(good, { typ: 'at+jwt' }))).status, 200);
    assert.equal(stage.provider.requests.length, 4, 'refused calls go to no provider');
  });

  test('needs a signature of the issuer, whatever its header says', async (t) => {
    const stage = await Stage.open(t, stores);
    const { issuer } = stage;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [head = '', body = '', signature = ''] = (await stage.token()).split('.');
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = await exportJWK(publicKey);
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const own = (header: object) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey);
    let fetched = 0;
    issuer.handlers.set('/stolen', (_, response) => {
      fetched++;
      sendJson(response, { keys: [jwk] });
    });
    const hmac = (secret: string) => {
      const signed = `${encode({ alg: 'HS256', kid: issuer.kid })}.${body}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    };
    const forged: Readonly<Record<string, string>> = {
      'alg none': `${encode({ alg: 'none' })}.${body}.`,
      'alg none, with a signature': `${encode({ alg: 'none' })}.${body}.${signature}`,
      'a shared secret': hmac('secret'),
      'the public key as a shared secret': hmac(issuer.publicKeyText),
      'another subject': [head, encode({ ...claims, sub: 'bob' }), signature].join('.'),
      'a key of its own': await own({ kid: issuer.kid }),
      'a key in its header': await own({ jwk }),
      'a key at an address': await own({ jku: `${issuer.url}/stolen`, kid: 'stolen' }),
      'a certificate at an address': await own({ x5u: `${issuer.url}/stolen`, kid: 'stolen' }),
      'no signature': `${head}.${body}.`,
      'a fourth part': `${head}.${body}.${signature}.x`,
    };
    assert.equal(decodeProtectedHeader(await own({ jwk })).alg, 'RS256');
    for (const [name, token] of Object.entries(forged)) {
      const answer = await stage.ask(token);
      assert.equal(answer.status, 401, `${name}: ${answer.text}`);
      assert.ok(!answer.text.includes('issuer’s is refused'), 'nothing is explained to a stranger');
    }
    assert.equal(fetched, 0);
    assert.equal(stage.provider.requests.length, 0);
  });

  test('is verified with new keys when it names one, but not for every made-up name', async (t) => {
    const stage = await Stage.open(t, stores);
    const { issuer } = stage;
    assert.equal((await stage.ask(await stage.token())).status, 200);
    await issuer.rotate();
    assert.equal((await stage.ask(await stage.token({ sub: 'bob' }))).status, 200);
    for (const kid of ['made-up', 'made-up too'])
      assertRefused(await stage.ask(await stage.token({}, { kid })));
    assert.equal(issuer.requests.get('/keys'), 2);
    assert.equal(issuer.requests.get('/.well-known/openid-configuration'), 1);
  });

  test('is neither sent to a provider nor written down', async (t) => {
    const stage = await Stage.open(t, stores);
    const token = await stage.token({ sub: 'somebody-with-a-name' });
    const byHeader = await call(stage.urls[0], {
      ...{ path: '/v1/messages', body: question, headers: ['x-api-key', token] },
    });
    assert.equal(byHeader.status, 200, byHeader.text);
    const both = await call(stage.urls[0], {
      path: '/v1/messages',
      body: question,
      headers: [...bearer(token), 'x-api-key', token],
    });
    assert.equal(both.status, 200, both.text);
    const [, , signature = ''] = token.split('.');
    for (const { rawHeaders, bytes } of stage.provider.requests)
      assert.ok(!`${rawHeaders.join('\n')}${bytes}`.includes(signature));
    const calls = await stage.owner.call({ path: '/v1/requests' });
    const audit = await stage.owner.call({ path: '/v1/audit?limit=100' });
    for (const { text } of [calls, audit]) {
      assert.ok(!text.includes(signature));
      assert.ok(!text.includes('somebody-with-a-name'));
    }
    assert.ok(calls.text.includes(stage.keyId) && calls.text.includes('user-'), calls.text);
  });

  test('names its project by a claim, and has no right to what belongs to the organization', async (t) => {
    const stage = await Stage.open(t, stores);
    const projectId = await makeProject(stage.owner, 'Search');
    const made = await stage.owner.call({ path: '/v1/keys', body: { name: 'search', projectId } });
    const listed = await stage.owner.call({ path: issuersPath });
    const path = `${issuersPath}/${at(listed.json, 'token_issuers', 0, 'id')}`;
    const body = {
      ...{ issuer: stage.issuer.url, audience: stage.audience, key_id: stage.keyId },
      ...{ project_claim: 'https://acme.example/project' },
      project_keys: [{ value: 'search', key_id: made.json.id }],
    };
    const changed = await stage.owner.call({ method: 'PUT', path, body });
    assert.equal(changed.status, 200, changed.text);
    const inProject = await stage.token({ 'https://acme.example/project': 'search' });
    assert.equal((await stage.ask(inProject)).status, 200);
    const calls = await stage.owner.call({ path: `/v1/requests?project=${projectId}` });
    assert.ok(calls.text.includes(String(made.json.id)), calls.text);
    const unknown = await stage.token({ 'https://acme.example/project': 'others' });
    assertRefused(await stage.ask(unknown));
    const outside = await stage.token();
    assert.equal((await stage.ask(outside)).status, 200);
    for (const [method, place] of [
      ['GET', '/v1/requests'],
      ['GET', '/v1/usage'],
      ['DELETE', '/v1/byok/anthropic'],
    ] as const) {
      const refused = await call(stage.urls[0], { method, path: place, headers: bearer(outside) });
      assert.equal(refused.status, 403, `${place}: ${refused.text}`);
    }
    await stage.owner.call({ path: `/v1/organization/projects/${projectId}/archive`, body: {} });
    assertRefused(await stage.ask(inProject));
  });

  test('of an issuer that two organizations share belongs to the one that it is for', async (t) => {
    const stage = await Stage.open(t, stores);
    const other = await createOrganization(await Person.signUp(stage.urls[0]), 'Other');
    const key = await other.call({ path: '/v1/keys', body: {} });
    const mine = { issuer: stage.issuer.url, key_id: String(key.json.id) };
    const stolen = await other.call({ path: issuersPath, body: { ...mine, audience: stage.audience } });
    assert.deepEqual([stolen.status, at(stolen.json, 'error', 'param')], [400, 'audience']);
    const foreign = { ...mine, key_id: stage.keyId, audience: other.organizationId };
    assert.equal((await other.call({ path: issuersPath, body: foreign })).status, 400, 'a key of others');
    const made = await other.call({ path: issuersPath, body: { ...mine, audience: other.organizationId } });
    assert.equal(made.status, 201, made.text);
    // A token for both is for neither.
    assertRefused(await stage.ask(await stage.token({ aud: [stage.audience, other.organizationId] })));
    assert.equal((await stage.ask(await stage.token())).status, 200);
    const listed = await other.call({ path: issuersPath });
    assert.ok(!listed.text.includes(stage.owner.organizationId));
    const id = at((await stage.owner.call({ path: issuersPath })).json, 'token_issuers', 0, 'id');
    for (const method of ['PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? { ...mine, audience: other.organizationId } : undefined;
      const sent = { method, path: `${issuersPath}/${id}`, ...(body !== undefined && { body }) };
      assert.equal((await other.call(sent)).status, 404);
    }
  });

  test('is of an issuer that may be configured', async (t) => {
    const stage = await Stage.open(t, stores);
    const wrong: Readonly<Record<string, object>> = {
      issuer: { issuer: 'http://10.0.0.1' },
      jwks_uri: { jwks_uri: 'https://localhost/keys' },
      'algorithms.0': { algorithms: ['HS256'] },
      key_id: { key_id: null },
      project_keys: { project_claim: 'project' },
      required_claims: { issuer: 'https://token.actions.githubusercontent.com' },
    };
    for (const [param, body] of Object.entries(wrong)) {
      const answer = await stage.configure(body);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(at(answer.json, 'error', 'param'), param, answer.text);
    }
    assert.equal((await stage.configure()).status, 409);
  });
});

function assertRefused({ status, json, text }: RawAnswer): void {
  assert.deepEqual([status, fieldsOf(json.error).code], [401, 'invalid_api_key'], text);
}
