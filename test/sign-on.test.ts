import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, password } from './support/cloud.ts';
import { CookieJar } from './support/cookie-jar.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { addMember, createOrganization, membersOf, sessionIn } from './support/organizations.ts';
import { sendJson, type TokenClaims } from './support/scripted-issuer.ts';
import { adminToken, assertRefusal, detailOf, SignOnStage, tokenIn } from './support/sign-on.ts';

const groups = {
  groups_claim: 'groups',
  group_roles: [
    { group: 'staff', role: 'developer' },
    { group: 'leads', role: 'admin' },
  ],
  default_role: null,
};

for (const [stores, start] of Object.entries(gatewaysOnStores))
  describe(`single sign-on on ${stores}`, () => {
    test('a person joins with a role, comes back as the same person, and has a session of the organization alone', async (t) => {
      const stage = await SignOnStage.open(t, start);
      const begun = await stage.begin({ return_to: '/keys?page=2' });
      const { request } = begun;
      assert.equal(request.get('code_challenge_method'), 'S256');
      stage.issuer.idToken = await stage.issuer.sign(stage.claims(begun));
      const first = await stage.finish(begun);
      assert.deepEqual([first.status, targetOf(first)], [303, '/keys?page=2'], first.text);
      const [exchange] = stage.issuer.exchanges;
      assert.equal(
        createHash('sha256')
          .update(String(exchange?.get('code_verifier')))
          .digest('base64url'),
        request.get('code_challenge'),
      );
      const token = tokenIn(first) ?? '';
      const current = await stage.organization(token);
      assert.deepEqual([current.json.id, current.json.role], [stage.organizationId, 'viewer']);
      const me = await call(stage.urls[1], { path: '/v1/users/me', headers: bearer(token) });
      assert.equal(me.json.email, 'ann@acme.example');
      // The subject counts from now on, whatever its address is.
      const again = await stage.session({ email: 'ann.smith@acme.example' });
      const same = await call(stage.urls[1], { path: '/v1/users/me', headers: bearer(again) });
      assert.deepEqual([same.json.id, same.json.email], [me.json.id, 'ann@acme.example']);
      assert.notEqual(again, token);
      const listed = await call(stage.urls[1], { path: '/v1/organizations', headers: bearer(token) });
      assert.ok(Array.isArray(listed.json.organizations));
      assert.deepEqual(
        listed.json.organizations.map((one) => at(one, 'id')),
        [stage.organizationId],
      );
      const own = await call(stage.urls[1], {
        ...{ path: `/v1/organizations/${me.json.id}/session`, body: {}, headers: bearer(token) },
      });
      assertRefused(own, 403, 'forbidden');
    });

    test('roles follow groups at each sign-on, and the last owner stays one', async (t) => {
      const stage = await SignOnStage.open(t, start, groups);
      const roleWith = async (...names: string[]) => {
        const { json } = await stage.organization(await stage.session({ groups: names }));
        return json.role;
      };
      assert.equal(await roleWith('staff'), 'developer');
      assert.equal(await roleWith('staff', 'leads', 'others'), 'admin');
      const kept = await stage.session({ groups: ['staff'] });
      assertRefusal(await stage.signOn({ groups: ['others'] }), 'no_role');
      assert.equal((await stage.organization(kept)).status, 401, 'earlier sessions end');
      assert.ok(!(await membersOf(stage.owner)).has('ann@acme.example'));
      await stage.confirmDomain('example.com');
      const { email } = stage.owner.person;
      const asOwner = await stage.session({ sub: 'owner', email, groups: ['staff'] });
      assert.equal((await stage.organization(asOwner)).json.role, 'owner');
    });

    test('a logout token ends sessions on all replicas, once', async (t) => {
      const stage = await SignOnStage.open(t, start);
      const [one, two] = [await stage.session({ sid: 's1' }), await stage.session({ sid: 's2' })];
      const event = 'http://schemas.openid.net/event/backchannel-logout';
      const valid = { sub: 'subject-1', jti: 'j1', events: { [event]: {} } };
      const logOut = async (claims: TokenClaims) =>
        call(stage.urls[0], {
          path: `/v1/sign-on/${stage.organizationId}/logout`,
          headers: ['content-type', 'application/x-www-form-urlencoded'],
          body: `logout_token=${await stage.issuer.sign(claims)}`,
        });
      for (const wrong of [
        { ...valid, events: {} },
        { ...valid, nonce: 'n' },
        { ...valid, sub: undefined },
        { ...valid, aud: 'others' },
        { ...valid, iss: 'https://login.example' },
        { ...valid, exp: 1 },
        { ...valid, jti: undefined },
      ])
        assertRefused(await logOut(wrong), 400, 'invalid_request');
      assert.equal((await stage.organization(one)).status, 200);
      assert.equal((await logOut({ ...valid, sid: 's1' })).status, 200);
      assert.deepEqual(
        [(await stage.organization(one)).status, (await stage.organization(two)).status],
        [401, 200],
      );
      assertRefused(await logOut({ ...valid, sid: 's2' }), 400, 'invalid_request');
      assert.equal((await logOut({ ...valid, jti: 'j2' })).status, 200);
      assert.equal((await stage.organization(two)).status, 401);
    });

    test('where it is enforced, members log in without a password, but for the owner for emergencies', async (t) => {
      const stage = await SignOnStage.open(t, start);
      const [url] = stage.urls;
      const bob = await Person.signUp(url, 'bob@acme.example');
      const member = await addMember(stage.owner, 'developer', bob);
      const { id, email } = stage.owner.person;
      await stage.confirmDomain('example.com');
      const enforced = { enforced: true, break_glass: id };
      const logIn = (address: string) =>
        call(url, { path: '/v1/users/login', body: { email: address, password } });
      assertRefused(await stage.configure({ enforced: true }), 400, 'invalid_request');
      assert.equal((await stage.configure(enforced)).status, 200);
      assertRefused(await member.call({ path: '/v1/organization' }), 401, 'authentication_required');
      assertRefused(await logIn(bob.email), 403, 'sign_on_required');
      const wrong = await call(url, {
        path: '/v1/users/login',
        body: { email: bob.email, password: 'another one' },
      });
      assertRefused(wrong, 401, 'wrong_login');
      const path = `/v1/organizations/${stage.organizationId}/session`;
      assertRefused(await bob.call({ path, body: {} }), 403, 'sign_on_required');
      assert.equal((await logIn(email)).status, 200);
      // Others at the domain, who are no members, are not concerned.
      assert.equal((await logIn((await Person.signUp(url, 'eve@acme.example')).email)).status, 200);
      const events = await auditEvents(stage);
      for (const event of ['sign_on.bypassed', 'sign_on.refused', 'sign_on.changed'])
        assert.ok(events.includes(event), event);
    });
  });

describe('a sign-on is refused', () => {
  const start = gatewaysOnStores['the embedded store'];
  assert.ok(start);

  test('when the answer is not for this browser, or comes twice', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const victim = await stage.begin();
    const attacker = await stage.begin();
    stage.issuer.idToken = await stage.issuer.sign(stage.claims(attacker));
    const { request } = attacker;
    assertRefusal(await stage.finish({ jar: victim.jar, request }), 'attempt');
    assertRefusal(await stage.finish({ jar: new CookieJar(), request }), 'attempt');
    assertRefusal(await stage.finish(attacker, { state: 'another' }), 'attempt');
    const jar = new CookieJar();
    const sealed = attacker.jar.cookie(stage.urls[0], 'weir_sign_on') ?? '';
    jar.set(stage.urls[0], 'weir_sign_on', sealed);
    assert.equal((await stage.finish(attacker, { code: 'c1' })).status, 303);
    // The same cookie and the same answer, and then a code that was used.
    assertRefusal(await stage.finish({ jar, request }, { code: 'c1' }), 'attempt');
    const later = await stage.begin();
    assertRefusal(await stage.finish(later, { code: 'c1' }), 'invalid_answer');
  });

  test('when the answer or its token is of another issuer, client, time or person', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const { issuer } = stage;
    const nowSeconds = Math.floor(Date.now() / 1000);
    const cases: Readonly<Record<string, TokenClaims>> = {
      'another nonce': { nonce: 'n' },
      'no nonce': { nonce: undefined },
      'another issuer': { iss: 'https://login.example' },
      'another audience': { aud: 'others' },
      'several audiences, and another for whom it is': { aud: [issuer.clientId, 'others'], azp: 'others' },
      expired: { iat: nowSeconds - 600, exp: nowSeconds - 90 },
      'no subject': { sub: undefined },
    };
    for (const [name, claims] of Object.entries(cases)) {
      const answer = await stage.signOn(claims);
      assert.equal(detailOf(answer), 'invalid_answer', `${name}: ${answer.text}`);
    }
    const mixedUp = await stage.begin();
    issuer.idToken = await issuer.sign(stage.claims(mixedUp));
    assertRefusal(await stage.finish(mixedUp, { iss: 'https://login.example' }), 'invalid_answer');
    const denied = await stage.begin();
    assertRefusal(await stage.finish(denied, { error: 'access_denied' }), 'provider_refused');
    // Clocks differ by seconds.
    assert.equal((await stage.signOn({ iat: nowSeconds - 600, exp: nowSeconds - 20 })).status, 303);
  });

  test('when the token is not signed with a key of the issuer', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const { issuer } = stage;
    issuer.document = { id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] };
    const withToken = async (made: (claims: TokenClaims) => Promise<string> | string) => {
      const begun = await stage.begin();
      const seconds = Math.floor(Date.now() / 1000);
      const common = { iss: issuer.url, aud: issuer.clientId, iat: seconds, exp: seconds + 300 };
      issuer.idToken = await made({ ...common, ...stage.claims(begun) });
      return stage.finish(begun);
    };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    assertRefusal(
      await withToken((claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`),
      'invalid_answer',
    );
    for (const secret of [issuer.publicKeyText, 'secret'])
      assertRefusal(
        await withToken((claims) => {
          const signed = `${encode({ alg: 'HS256', kid: issuer.kid })}.${encode(claims)}`;
          return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
        }),
        'invalid_answer',
      );
    const forged = await withToken(async (claims) => {
      const [head, , signature] = (await issuer.sign(claims)).split('.');
      return [head, encode({ ...claims, sub: 'owner' }), signature].join('.');
    });
    assertRefusal(forged, 'invalid_answer');
    assert.equal((await withToken((claims) => issuer.sign(claims))).status, 303);
  });

  test('new keys are read when a token names them, but not for every made-up name', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const { issuer } = stage;
    await stage.session();
    await issuer.rotate();
    await stage.session();
    assert.equal(issuer.requests.get('/keys'), 2);
    for (const kid of ['made-up', 'made-up too']) {
      const begun = await stage.begin();
      issuer.idToken = await issuer.sign(stage.claims(begun), { kid });
      assertRefusal(await stage.finish(begun), 'invalid_answer');
    }
    assert.equal(issuer.requests.get('/keys'), 2);
  });

  test('when the address is missing, unverified, of another domain, or of somebody else', async (t) => {
    const stage = await SignOnStage.open(t, start);
    assertRefusal(await stage.signOn({ email: undefined }), 'email_missing');
    assertRefusal(await stage.signOn({ email_verified: false }), 'email_unverified');
    assertRefusal(await stage.signOn({ email_verified: undefined }), 'email_unverified');
    assertRefusal(await stage.signOn({ email: 'ann@evil.example' }), 'email_domain');
    assertRefusal(await stage.signOn({ email: 'ann@sub.acme.example' }), 'email_domain');
    const entra = { email_verified: undefined, xms_edov: '1' };
    assert.equal((await stage.signOn(entra)).status, 303);
    assertRefusal(await stage.signOn({ sub: 'subject-2' }), 'other_subject');
  });

  test('who signed up with an address before its owner proved it, has nothing of what its owner gets', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const [url] = stage.urls;
    const squatter = await Person.signUp(url, 'ann@acme.example');
    const { key } = await squatter.makeKey();
    const token = await stage.session();
    const me = await call(url, { path: '/v1/users/me', headers: bearer(token) });
    assert.equal(me.json.id, squatter.id);
    assert.equal((await squatter.call({ path: '/v1/users/me' })).status, 401);
    assert.equal((await call(url, { path: '/v1/usage', headers: bearer(key) })).status, 401);
    const login = { email: squatter.email, password };
    assert.equal((await call(url, { path: '/v1/users/login', body: login })).status, 401);
  });

  test('when the provider is down, slow, endless, or leads elsewhere', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const { issuer } = stage;
    const discovery = '/.well-known/openid-configuration';
    const path = `/v1/sign-on/start?organization=${stage.organizationId}`;
    const begin = () => call(stage.urls[0], { path });
    issuer.handlers.set(discovery, (request) => request.destroy());
    assertRefusal(await begin(), 'provider_unavailable');
    issuer.handlers.set(discovery, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"issuer":"${'x'.repeat(2 ** 20)}`);
    });
    assertRefusal(await begin(), 'provider_unavailable');
    issuer.handlers.set(discovery, (_, response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    );
    assertRefusal(await begin(), 'provider_unavailable');
    issuer.handlers.set(discovery, (_, response) => sendJson(response, { issuer: 'https://login.example' }));
    assertRefusal(await begin(), 'provider_unavailable');
    issuer.handlers.delete(discovery);
    // Other addresses of the document are no more allowed than any.
    for (const address of [
      'http://127.0.0.1:1/token',
      'https://127.0.0.1:1/token',
      'https://localhost:1/token',
    ]) {
      issuer.document = { token_endpoint: address };
      await stage.configure();
      assertRefusal(await stage.finish(await stage.begin()), 'provider_unavailable');
    }
  });

  test('nobody is led to another site, or into an account of another site’s choice', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const target = async (path: string) => {
      const begun = await stage.begin({ return_to: path });
      stage.issuer.idToken = await stage.issuer.sign(stage.claims(begun));
      return targetOf(await stage.finish(begun));
    };
    for (const path of [
      '//evil.example',
      'https://evil.example/',
      '/\\evil.example',
      '/a/..//evil.example',
      'javascript:x',
    ])
      assert.equal(await target(path), '/', path);
    assert.equal(await target('/usage#today'), '/usage#today');
    const path = `/v1/sign-on/start?organization=${stage.organizationId}`;
    const led = await call(stage.urls[0], { path, headers: ['sec-fetch-site', 'cross-site'] });
    assert.deepEqual(
      [led.status, led.headers.location, led.headers['set-cookie']],
      [303, `/login#organization=${stage.organizationId}`, undefined],
    );
  });

  test('a session from before has no part in the new one', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const fixed = await Person.signUp(stage.urls[0]);
    const begun = await stage.begin();
    begun.jar.set(stage.urls[0], 'weir_session', fixed.token);
    stage.issuer.idToken = await stage.issuer.sign(stage.claims(begun));
    const answer = await stage.finish(begun);
    assert.notEqual(tokenIn(answer), fixed.token);
    const me = await fixed.call({ path: '/v1/users/me' });
    assert.equal(me.json.email, fixed.email);
  });

  test('an organization is found by mail address, and one without sign-on looks like none', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const [url] = stage.urls;
    const found = await call(url, { path: '/v1/sign-on/start?email=new%40acme.example' });
    assert.equal(new URL(String(found.headers.location)).searchParams.get('login_hint'), 'new@acme.example');
    const other = await createOrganization(await Person.signUp(url), 'Other');
    const unknown = ['organization=none', `organization=${other.organizationId}`, 'email=a%40b.example', ''];
    const answers = await Promise.all(
      unknown.map((query) => call(url, { path: `/v1/sign-on/start?${query}` })),
    );
    const told = answers.map(({ status, json }) => `${status} ${at(json, 'error', 'message')}`);
    assert.deepEqual(new Set(told).size, 1, told.join('\n'));
    assertRefused(answers[0] ?? found, 404, 'not_found');
  });

  test('the details come from the user info where the token has none', async (t) => {
    const stage = await SignOnStage.open(t, start, groups);
    stage.issuer.userInfo = {
      ...{ sub: 'subject-1', email: 'ann@acme.example', email_verified: true, groups: ['leads'] },
    };
    await stage.configure(groups);
    const token = await stage.session({ email: undefined, email_verified: undefined });
    assert.equal((await stage.organization(token)).json.role, 'admin');
    stage.issuer.userInfo = { ...stage.issuer.userInfo, sub: 'another' };
    assertRefusal(await stage.signOn({ email: undefined }), 'invalid_answer');
  });

  test('browsers get the dashboard’s page with the reason, and the log has each attempt', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const begun = await stage.begin();
    const path = `${stage.urls[0]}/v1/sign-on/${stage.organizationId}/callback?state=x&code=y`;
    const answer = await begun.jar.visit(path, { headers: ['accept', 'text/html'] });
    assert.deepEqual([answer.status, answer.headers.location], [303, '/login#failure=attempt']);
    const unknown = await call(stage.urls[0], { path: '/v1/sign-on/none/callback?state=x&code=y' });
    assertRefusal(unknown, 'attempt');
    const instance = await call(stage.urls[0], {
      path: '/v1/operator/audit?limit=100',
      headers: bearer(adminToken),
    });
    assert.ok(Array.isArray(instance.json.entries), instance.text);
    const ofInstance = instance.json.entries.map((entry) => at(entry, 'event'));
    assert.ok(!ofInstance.includes('sign_on.refused'), 'made-up organizations are not in the log');
    await stage.session();
    const events = await auditEvents(stage);
    for (const event of ['sign_on.refused', 'sign_on.succeeded', 'member.joined', 'sign_on.domain_proven'])
      assert.ok(events.includes(event), `${event} in ${events}`);
  });
});

async function auditEvents(stage: SignOnStage): Promise<readonly unknown[]> {
  const { id } = stage.owner.person;
  const login = { email: stage.owner.person.email, password };
  const { json } = await call(stage.urls[0], { path: '/v1/users/login', body: login });
  assert.equal(at(json, 'user', 'id'), id);
  const again = await sessionIn(stage.owner.person, stage.organizationId);
  const listed = await again.call({ path: '/v1/audit?limit=100' });
  const { entries } = listed.json;
  assert.ok(Array.isArray(entries), listed.text);
  return entries.map((entry) => at(entry, 'event'));
}

/** Where the dashboard goes on. */
function targetOf({ headers }: RawAnswer): string | null {
  const [path, values] = String(headers.location).split('#', 2);
  assert.equal(path, '/login');
  return new URLSearchParams(values).get('to');
}

function assertRefused({ status, json, text }: RawAnswer, expected: number, code: string): void {
  assert.deepEqual([status, fieldsOf(json.error).code], [expected, code], text);
}
