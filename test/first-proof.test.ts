import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, password } from './support/cloud.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { MailServer, tokenIn } from './support/mail-server.ts';

let mail: MailServer;
before(async () => {
  mail = await MailServer.start();
});
after(() => mail.close());

for (const [home, start] of Object.entries(gatewaysOnStores))
  describe(`the first proof that a mailbox is read, on ${home}`, () => {
    test('by a reset ends what a stranger made with the address, and later resets leave keys alone', async (t) => {
      const [one, other] = await start(t, mail.settings);
      const stranger = await Person.signUp(one);
      const { key } = await prepared(one, stranger);
      const second = await logIn(other, stranger.email, password);
      assert.equal((await chat(other, key)).status, 200);

      await reset(one, other, stranger.email, 'chosen by the owner');
      assert.equal((await chat(other, key)).status, 401);
      assert.equal((await chat(one, key)).status, 401);
      for (const token of [stranger.token, String(second.json.token)])
        assert.equal((await read(one, '/v1/users/me', token)).status, 401);
      assert.equal((await logIn(one, stranger.email, password)).status, 401);

      const owner = String((await logIn(one, stranger.email, 'chosen by the owner')).json.token);
      assert.deepEqual((await read(other, '/v1/byok', owner)).json, { providers: [] });
      assert.deepEqual((await read(other, '/v1/patterns', owner)).json.patterns, []);
      const own = String((await call(one, { path: '/v1/keys', body: {}, headers: bearer(owner) })).json.key);
      assert.equal((await storeKey(one, owner)).status, 200);
      await reset(other, one, stranger.email, 'chosen once more');
      assert.equal((await chat(one, own)).status, 200);
      const again = String((await logIn(one, stranger.email, 'chosen once more')).json.token);
      const { providers } = (await read(one, '/v1/byok', again)).json;
      assert.equal(Array.isArray(providers) && providers.length, 1);
    });

    test('by a verification without a session ends the password, too', async (t) => {
      const [one, other] = await start(t, mail.settings);
      const stranger = await Person.signUp(one);
      const { key } = await prepared(one, stranger);
      assert.equal((await verify(other, stranger.email)).status, 204);
      assert.equal((await chat(one, key)).status, 401);
      assert.equal((await read(one, '/v1/users/me', stranger.token)).status, 401);
      assert.equal((await logIn(one, stranger.email, password)).status, 401);
      await reset(one, other, stranger.email, 'chosen by the owner');
      const owner = String((await logIn(one, stranger.email, 'chosen by the owner')).json.token);
      assert.deepEqual((await read(one, '/v1/byok', owner)).json, { providers: [] });
      assert.deepEqual((await read(one, '/v1/patterns', owner)).json.patterns, []);
    });

    test('by a verification with the session ends keys and other sessions, and nothing else', async (t) => {
      const [one, other] = await start(t, mail.settings);
      const ada = await Person.signUp(one);
      const { key } = await prepared(one, ada);
      const elsewhere = String((await logIn(other, ada.email, password)).json.token);
      const neighbour = await Person.signUp(one);
      const spared = await neighbour.makeKey();
      assert.equal((await verify(other, ada.email, bearer(ada.token))).status, 204);
      assert.equal((await chat(one, key)).status, 401);
      assert.equal((await chat(one, spared.key)).status, 200);
      assert.equal((await read(one, '/v1/users/me', elsewhere)).status, 401);
      const { providers } = (await read(one, '/v1/byok', ada.token)).json;
      assert.equal(Array.isArray(providers) && providers.length, 1);
      assert.equal((await logIn(one, ada.email, password)).status, 200);
      const later = await ada.makeKey();
      await ada.call({ path: '/v1/users/verify/mail', body: {} });
      assert.equal((await verify(other, ada.email)).status, 204);
      assert.equal((await chat(other, later.key)).status, 200);
    });

    test("counts another account's session for nothing", async (t) => {
      const [one] = await start(t, mail.settings);
      const [stranger, other] = [await Person.signUp(one), await Person.signUp(one)];
      assert.equal((await verify(one, stranger.email, bearer(other.token))).status, 204);
      assert.equal((await logIn(one, stranger.email, password)).status, 401);
      assert.equal((await read(one, '/v1/users/me', other.token)).status, 200);
    });

    test('leaves nothing of keys, sessions and provider keys that are made at the same time', async (t) => {
      const [one, other] = await start(t, mail.settings);
      const stranger = await Person.signUp(one);
      const token = await resetToken(one, stranger.email);
      const attempts = Array.from({ length: 12 }, (_, at) => {
        const url = at % 2 === 0 ? one : other;
        if (at % 3 === 0) return storeKey(url, stranger.token);
        if (at % 3 === 1) return logIn(url, stranger.email, password);
        return call(url, { path: '/v1/keys', body: {}, headers: bearer(stranger.token) });
      });
      const confirm = { path: '/v1/users/password-reset/confirm', body: { token, password: 'the owner’s' } };
      const [confirmed, ...made] = await Promise.all([call(other, confirm), ...attempts]);
      assert.equal(confirmed.status, 204);
      for (const { json } of made) {
        if (typeof json.key === 'string') assert.equal((await chat(one, json.key)).status, 401);
        if (typeof json.token === 'string')
          assert.equal((await read(one, '/v1/users/me', json.token)).status, 401);
      }
      const owner = String((await logIn(one, stranger.email, 'the owner’s')).json.token);
      assert.deepEqual((await read(one, '/v1/byok', owner)).json, { providers: [] });
    });
  });

/** With an API key, a provider key and a pattern. */
async function prepared(url: string, person: Person) {
  const made = await person.makeKey({ pipelineConfig: 'exact-cache' });
  assert.equal((await storeKey(url, person.token)).status, 200);
  const pattern = { trigger: 'refunds', advice: 'Tell customers that refunds are paid after a card check.' };
  const taught = await person.call({ path: '/v1/patterns', body: pattern });
  assert.equal(taught.status, 201, taught.text);
  return made;
}

function storeKey(url: string, token: string): Promise<RawAnswer> {
  const body = { key: 'sk-ant-api03-of-whoever-stores-it' };
  return call(url, { method: 'PUT', path: '/v1/byok/anthropic', body, headers: bearer(token) });
}

function chat(url: string, key: string): Promise<RawAnswer> {
  const body = { model: 'demo-1', messages: [{ role: 'user', content: 'hi' }] };
  return call(url, { path: '/v1/chat/completions', body, headers: bearer(key) });
}

function read(url: string, path: string, token: string): Promise<RawAnswer> {
  return call(url, { path, headers: bearer(token) });
}

function logIn(url: string, email: string, typed: string): Promise<RawAnswer> {
  return call(url, { path: '/v1/users/login', body: { email, password: typed } });
}

async function verify(url: string, email: string, headers: readonly string[] = []): Promise<RawAnswer> {
  const token = tokenIn(await mail.next(email, 'Confirm your e-mail address'));
  return call(url, { path: '/v1/users/verify', body: { token }, headers });
}

async function resetToken(url: string, email: string): Promise<string> {
  await call(url, { path: '/v1/users/password-reset', body: { email } });
  return tokenIn(await mail.next(email, 'Set a new password'));
}

async function reset(askedAt: string, confirmedAt: string, email: string, chosen: string): Promise<void> {
  const token = await resetToken(askedAt, email);
  const body = { token, password: chosen };
  const answer = await call(confirmedAt, { path: '/v1/users/password-reset/confirm', body });
  assert.equal(answer.status, 204, answer.text);
}
