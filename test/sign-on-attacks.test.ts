import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { CookieJar } from './support/cookie-jar.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { createOrganization } from './support/organizations.ts';
import { assertRefusal, type BegunSignOn, SignOnStage, tokenIn } from './support/sign-on.ts';

const cookieName = 'weir_sign_on';

for (const [stores, start] of Object.entries(gatewaysOnStores))
  test(`of one answer that comes several times at once, one counts, on ${stores}`, async (t) => {
    const stage = await SignOnStage.open(t, start);
    const begun = await stage.begin();
    stage.issuer.idToken = await stage.issuer.sign(stage.claims(begun));
    // No other site of the same domain can set it over https.
    const name = stores === 'the embedded store' ? cookieName : `__Host-${cookieName}`;
    const cookie = begun.jar.cookie(stage.urls[0], name) ?? '';
    const query = answerTo(stage, begun);
    const answers = await Promise.all(
      [...stage.urls, ...stage.urls].map((url) => {
        const jar = new CookieJar();
        jar.set(url, name, cookie);
        return jar.visit(`${url}${callback(stage.organizationId)}?${query}`);
      }),
    );
    const refused = answers.filter(({ status }) => status !== 303);
    assert.equal(refused.length, 3, answers.map(({ text }) => text).join('\n'));
    for (const answer of refused) assertRefusal(answer, 'attempt');
    assert.equal(stage.issuer.exchanges.length, 1);
  });

describe('a sign-on is of one browser, organization and provider', () => {
  const start = gatewaysOnStores['the embedded store'];
  assert.ok(start);

  test('an answer for one organization does not count at another, which has the same provider', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const [url] = stage.urls;
    const other = await createOrganization(await Person.signUp(url), 'Other');
    await stage.confirmDomain('other.example', other.organizationId);
    const { status, text } = await other.call({
      ...{ method: 'PUT', path: '/v1/organization/sign-on' },
      body: {
        ...{ issuer: stage.issuer.url, client_id: stage.issuer.clientId, client_secret: 'secret' },
        default_role: 'admin',
      },
    });
    assert.equal(status, 200, text);
    const begun = await stage.begin();
    stage.issuer.idToken = await stage.issuer.sign(stage.claims(begun));
    const led = await begun.jar.visit(`${url}${callback(other.organizationId)}?${answerTo(stage, begun)}`);
    assertRefusal(led, 'attempt');
    assert.deepEqual(stage.issuer.exchanges, [], 'the code goes to no provider');
    assert.equal((await stage.finish(begun)).status, 303, 'the answer still counts where it belongs');
  });

  test('an answer without its issuer is refused where the provider announces it', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const begun = await stage.begin();
    stage.issuer.idToken = await stage.issuer.sign(stage.claims(begun));
    const query = answerTo(stage, begun);
    query.delete('iss');
    const address = `${stage.urls[0]}${callback(stage.organizationId)}?${query}`;
    assertRefusal(await begun.jar.visit(address), 'invalid_answer');
    assert.deepEqual(stage.issuer.exchanges, []);
  });

  test('a token counts in its own sign-on alone, and one for a logout in none', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const { issuer } = stage;
    const first = await stage.begin();
    issuer.idToken = await issuer.sign(stage.claims(first));
    assert.equal((await stage.finish(first)).status, 303);
    assertRefusal(await stage.finish(await stage.begin()), 'invalid_answer');
    const logout = { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } };
    issuer.idToken = await issuer.sign({ sub: 'subject-1', jti: 'j1', ...logout });
    assertRefusal(await stage.finish(await stage.begin()), 'invalid_answer');
  });

  test('the cookie of a sign-on is for the browser’s requests alone, counts only whole, and ends with the settings', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const path = `/v1/sign-on/start?organization=${stage.organizationId}`;
    const { headers } = await call(stage.urls[0], { path });
    const [line = ''] = headers['set-cookie'] ?? [];
    assert.match(line, /; HttpOnly/i);
    assert.match(line, /; SameSite=Lax/i);
    const begun = await stage.begin();
    const cookie = begun.jar.cookie(stage.urls[0], cookieName) ?? '';
    const middle = Math.floor(cookie.length / 2);
    const changed = `${cookie.slice(0, middle)}${cookie[middle] === 'A' ? 'B' : 'A'}${cookie.slice(middle + 1)}`;
    for (const wrong of ['', '.', 'x', 'x.y', cookie.slice(0, -8), cookie.slice(1), changed]) {
      const jar = new CookieJar();
      jar.set(stage.urls[0], cookieName, wrong);
      assertRefusal(await stage.finish({ ...begun, jar }), 'attempt');
    }
    const removed = await stage.owner.call({ method: 'DELETE', path: '/v1/organization/sign-on' });
    assert.equal(removed.status, 204, removed.text);
    assertRefusal(await stage.finish(begun), 'attempt');
  });

  test('a sign-on takes over no session that a browser was given before, and none that it has', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const [url] = stage.urls;
    const jar = new CookieJar();
    jar.set(url, 'weir_session', 'planted');
    const begun = await stage.begin({}, jar);
    stage.issuer.idToken = await stage.issuer.sign(stage.claims(begun));
    const token = tokenIn(await stage.finish(begun)) ?? '';
    assert.notEqual(token, 'planted');
    assert.equal((await stage.organization('planted')).status, 401);
    const again = await stage.begin({}, jar);
    stage.issuer.idToken = await stage.issuer.sign(
      stage.claims(again, { sub: 'subject-2', email: 'bob@acme.example' }),
    );
    const next = tokenIn(await stage.finish(again)) ?? '';
    const names = await Promise.all(
      [token, next].map(async (one) => {
        const { json } = await call(url, { path: '/v1/users/me', headers: bearer(one) });
        return json.email;
      }),
    );
    assert.deepEqual(names, ['ann@acme.example', 'bob@acme.example']);
  });
});

function callback(organizationId: string): string {
  return `/v1/sign-on/${organizationId}/callback`;
}

/** What the provider sends the browser back with. */
function answerTo({ issuer }: SignOnStage, { request }: BegunSignOn): URLSearchParams {
  const state = request.get('state') ?? '';
  return new URLSearchParams({ code: crypto.randomUUID(), state, iss: issuer.url });
}
