import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limits } from '../src/accounts/limits.ts';
import { at } from './support/at.ts';
import { Authenticator, type AuthenticatorFaults } from './support/authenticator.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { MailServer, tokenIn } from './support/mail-server.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

const origin = 'https://weir.example.com';
const environment = { WEIR_BASE_URL: origin };

interface Request {
  readonly challenge_id: string;
  readonly options: { readonly challenge: string };
}

function requestIn(answer: RawAnswer, ...path: string[]): Request {
  const options = at(answer.json, ...path, 'options');
  return {
    challenge_id: String(at(answer.json, ...path, 'challenge_id')),
    options: { challenge: String(at(options, 'challenge')) },
  };
}

const logInWith = (url: string, path: string, body: object) =>
  call(url, { path: `/v1/users/login/${path}`, body });

function assertRefused({ status, text, json }: RawAnswer, expected: number, code: string): void {
  assert.deepEqual([status, at(json, 'error', 'code')], [expected, code], text);
}

async function begin(person: Person): Promise<Request> {
  return requestIn(await person.call({ path: '/v1/users/passkeys/options', body: { password } }));
}

async function register(person: Person, device: Authenticator, faults: AuthenticatorFaults = {}) {
  const { challenge_id, options } = await begin(person);
  const response = device.create(options, faults);
  return person.call({ path: '/v1/users/passkeys', body: { challenge_id, name: 'Laptop', response } });
}

async function addPasskey(person: Person): Promise<Authenticator> {
  const device = new Authenticator(origin);
  const { status, text } = await register(person, device);
  assert.equal(status, 201, text);
  return device;
}

async function turnOn(person: Person): Promise<readonly string[]> {
  const { status, text, json } = await person.call({ path: '/v1/users/second-factor', body: { password } });
  assert.equal(status, 200, text);
  return Array.isArray(json.recovery_codes) ? json.recovery_codes.map(String) : [];
}

const logIn = (url: string, { email }: Person) =>
  call(url, { path: '/v1/users/login', body: { email, password } });

/** With the password; resolves to the request for the second factor. */
async function demand(url: string, person: Person): Promise<Request> {
  const answer = await logIn(url, person);
  assertRefused(answer, 401, 'second_factor_required');
  assert.equal(answer.json.token, undefined);
  return requestIn(answer, 'second_factor');
}

async function whoIs(url: string, { json }: RawAnswer): Promise<unknown> {
  const me = await call(url, { path: '/v1/users/me', headers: bearer(String(json.token)) });
  return me.json.email;
}

for (const [stores, start] of Object.entries(gatewaysOnStores))
  describe(`passkeys on ${stores}`, () => {
    test('a person logs in with one alone, on another replica, and each challenge works once', async (t) => {
      const [url, other] = await start(t, environment);
      const ada = await Person.signUp(url);
      const device = await addPasskey(ada);
      const request = requestIn(await logInWith(url, 'passkey/options', {}));
      const body = { challenge_id: request.challenge_id, response: device.sign(request.options) };
      const answers = await Promise.all([logInWith(url, 'passkey', body), logInWith(other, 'passkey', body)]);
      // The other has lost the challenge, or sees that the device's count of signatures is not new.
      const [answer, second] = answers.filter(({ status }) => status === 200);
      assert.equal(answer && (await whoIs(other, answer)), ada.email);
      assert.equal(second, undefined);
      assertRefused(await logInWith(url, 'passkey', body), 400, 'invalid_token');
      const { json } = await ada.call({ path: '/v1/users/passkeys' });
      assert.partialDeepStrictEqual(json, {
        available: true,
        passkeys: [{ id: device.id, name: 'Laptop' }],
        second_factor: null,
      });
      assert.ok(at(json, 'passkeys', 0, 'last_used_at'));
    });

    test('with the second factor on, a password needs a passkey or a recovery code, on every replica', async (t) => {
      const [url, other] = await start(t, environment);
      const ada = await Person.signUp(url);
      const device = await addPasskey(ada);
      const codes = await turnOn(ada);
      assert.equal(new Set(codes).size, limits.recoveryCodes);
      const byPasskey = await demand(other, ada);
      const answer = await logInWith(other, 'second-factor', {
        challenge_id: byPasskey.challenge_id,
        response: device.sign(byPasskey.options, { verifiesUser: false }),
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await whoIs(url, answer), ada.email);
      const [code = '', next = ''] = codes;
      const typed = code.toUpperCase().replace('-', ' ');
      const byCode = await demand(url, ada);
      const accepted = await logInWith(url, 'second-factor', {
        challenge_id: byCode.challenge_id,
        recovery_code: typed,
      });
      assert.equal(accepted.status, 200, accepted.text);
      const again = await demand(other, ada);
      const wrong = (recovery_code: string) =>
        logInWith(other, 'second-factor', { challenge_id: again.challenge_id, recovery_code });
      assertRefused(await wrong(code), 401, 'wrong_second_factor');
      const outcomes = await Promise.all([wrong(next), wrong(next)]);
      assert.deepEqual(
        outcomes.map(({ status }) => status).filter((status) => status === 200),
        [200],
      );
      const { json } = await ada.call({ path: '/v1/users/passkeys' });
      assert.equal(at(json, 'second_factor', 'recovery_codes_left'), limits.recoveryCodes - 2);
      const [first] = await turnOn(ada);
      const replaced = await demand(url, ada);
      const spent = await logInWith(url, 'second-factor', {
        challenge_id: replaced.challenge_id,
        recovery_code: codes.at(-1),
      });
      assert.equal(spent.status, 401);
      assert.notEqual(first, undefined);
      const off = await ada.call({ method: 'DELETE', path: '/v1/users/second-factor', body: { password } });
      assert.equal(off.status, 204);
      assert.equal((await logIn(other, ada)).status, 200);
    });

    test('a deleted person leaves no passkey behind', async (t) => {
      const [url] = await start(t, environment);
      const ada = await Person.signUp(url);
      const device = await addPasskey(ada);
      await turnOn(ada);
      const gone = await ada.call({ method: 'DELETE', path: '/v1/users/me', body: { password } });
      assert.equal(gone.status, 204);
      const request = requestIn(await logInWith(url, 'passkey/options', {}));
      const body = { challenge_id: request.challenge_id, response: device.sign(request.options) };
      assertRefused(await logInWith(url, 'passkey', body), 401, 'wrong_passkey');
      const heir = await Person.signUp(url, ada.email);
      assert.equal((await logIn(url, heir)).status, 200);
      assert.equal((await register(heir, device)).status, 201);
    });
  });

test('a response that is not right is refused, and the log-in goes on', async (t) => {
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  const device = await addPasskey(ada);
  const request = requestIn(await logInWith(url, 'passkey/options', {}));
  const send = (response: object) =>
    logInWith(url, 'passkey', { challenge_id: request.challenge_id, response });
  const faults: Readonly<Record<string, AuthenticatorFaults>> = {
    'another origin': { origin: 'https://weir.example.com.evil.example' },
    'another challenge': { challenge: 'YW5vdGhlcg' },
    'a user who is not verified': { verifiesUser: false },
  };
  for (const [name, fault] of Object.entries(faults))
    await t.test(name, async () =>
      assertRefused(await send(device.sign(request.options, fault)), 401, 'wrong_passkey'),
    );
  const signed = device.sign(request.options);
  for (const [name, response] of Object.entries({
    'an unknown passkey': new Authenticator(origin).sign(request.options),
    'the signature of another': {
      ...new Authenticator(origin).sign(request.options),
      ...{ id: device.id, rawId: device.id },
    },
    'a changed signature': { ...signed, response: { ...signed.response, signature: 'AAAA' } },
    'no JSON of a client': { ...signed, response: { ...signed.response, clientDataJSON: 'AAAA' } },
    'no data of a device': { ...signed, response: { ...signed.response, authenticatorData: 'AAAA' } },
  }))
    await t.test(name, async () => assertRefused(await send(response), 401, 'wrong_passkey'));
  assert.equal((await send({ id: 'x' })).status, 400);
  assert.equal((await send({ ...signed, id: 'x'.repeat(30_000) })).status, 400);
  assert.equal((await send(signed)).status, 200);
  const later = requestIn(await logInWith(url, 'passkey/options', {}));
  const copied = { challenge_id: later.challenge_id, response: device.sign(later.options, { counter: 1 }) };
  assertRefused(await logInWith(url, 'passkey', copied), 401, 'wrong_passkey');
});

test('challenges belong to their person and their purpose', async (t) => {
  const { url } = await startCloud(t, environment);
  const [ada, eve] = [await Person.signUp(url), await Person.signUp(url)];
  const [adasDevice, evesDevice] = [await addPasskey(ada), await addPasskey(eve)];
  await turnOn(ada);
  const begun = await begin(ada);
  const stolen = {
    challenge_id: begun.challenge_id,
    name: 'Mine',
    response: new Authenticator(origin).create(begun.options),
  };
  assertRefused(await eve.call({ path: '/v1/users/passkeys', body: stolen }), 400, 'invalid_token');
  const demanded = await demand(url, ada);
  const complete = (challenge_id: string, response: object) =>
    logInWith(url, 'second-factor', { challenge_id, response });
  assertRefused(
    await complete(demanded.challenge_id, evesDevice.sign(demanded.options)),
    401,
    'wrong_passkey',
  );
  const alone = requestIn(await logInWith(url, 'passkey/options', {}));
  assertRefused(await complete(alone.challenge_id, evesDevice.sign(alone.options)), 400, 'invalid_token');
  const asLogin = { challenge_id: demanded.challenge_id, response: adasDevice.sign(demanded.options) };
  assertRefused(await logInWith(url, 'passkey', asLogin), 400, 'invalid_token');
  const changed = { current: password, next: 'another password' };
  await ada.call({ method: 'PUT', path: '/v1/users/password', body: changed });
  assertRefused(
    await complete(demanded.challenge_id, adasDevice.sign(demanded.options)),
    400,
    'invalid_token',
  );
  const removed = await eve.call({ method: 'DELETE', path: `/v1/users/passkeys/${adasDevice.id}` });
  assert.equal(removed.status, 404);
});

test('adding, switching on and off need the password, and the last passkey stays while it is needed', async (t) => {
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  for (const [method, path] of [
    ['POST', 'passkeys/options'],
    ['POST', 'second-factor'],
    ['DELETE', 'second-factor'],
  ] as const)
    assertRefused(
      await ada.call({ method, path: `/v1/users/${path}`, body: { password: 'wrong' } }),
      401,
      'wrong_password',
    );
  const early = await ada.call({ path: '/v1/users/second-factor', body: { password } });
  assertRefused(early, 409, 'passkey_needed');
  const device = await addPasskey(ada);
  assertRefused(await register(ada, device), 409, 'passkey_exists');
  await turnOn(ada);
  const remove = () => ada.call({ method: 'DELETE', path: `/v1/users/passkeys/${device.id}` });
  assertRefused(await remove(), 409, 'passkey_needed');
  for (let more = 1; more < limits.passkeysMax; more++) await addPasskey(ada);
  assertRefused(await register(ada, new Authenticator(origin)), 409, 'passkey_limit_reached');
  assert.equal((await remove()).status, 204);
});

test('wrong recovery codes are limited', async (t) => {
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  await addPasskey(ada);
  await turnOn(ada);
  const { challenge_id } = await demand(url, ada);
  const statuses = [];
  for (let attempt = 0; attempt <= limits.secondFactorsPerPerson.most; attempt++)
    statuses.push(
      (await logInWith(url, 'second-factor', { challenge_id, recovery_code: 'abcde-fghjk' })).status,
    );
  assert.deepEqual(new Set(statuses.slice(0, -1)), new Set([401]));
  assert.equal(statuses.at(-1), 429);
});

test('who proves to own the address gets rid of the passkeys of whoever signed up with it', async (t) => {
  const post = await MailServer.start();
  t.after(() => post.close());
  const { url } = await startCloud(t, { ...environment, ...post.settings });
  const squatter = await Person.signUp(url, 'ada@example.com');
  const device = await addPasskey(squatter);
  await turnOn(squatter);
  await call(url, { path: '/v1/users/password-reset', body: { email: 'ada@example.com' } });
  const mail = await post.next('ada@example.com', 'Set a new password');
  const confirmed = await call(url, {
    path: '/v1/users/password-reset/confirm',
    body: { token: tokenIn(mail), password },
  });
  assert.equal(confirmed.status, 204);
  assert.equal((await logIn(url, squatter)).status, 200);
  const request = requestIn(await logInWith(url, 'passkey/options', {}));
  const body = { challenge_id: request.challenge_id, response: device.sign(request.options) };
  assertRefused(await logInWith(url, 'passkey', body), 401, 'wrong_passkey');
});

test('an operator switches the second factor off', async (t) => {
  const folder = emptyFolder(t);
  const settings = {
    ...environment,
    WEIR_DATA_DIR: folder,
    WEIR_SECRET: 'the secret of a test, long enough',
  };
  const { url } = await startCloud(t, settings);
  const ada = await Person.signUp(url);
  await addPasskey(ada);
  await turnOn(ada);
  const command = () =>
    runCommand(t, ['users', 'second-factor-off', ada.email], { WEIR_MODE: 'cloud', ...settings });
  const { code, said } = await command();
  assert.deepEqual([code, said], [0, `${ada.email} logs in with the password alone\n`]);
  assert.equal((await logIn(url, ada)).status, 200);
  assert.notEqual((await command()).code, 0);
});

test('a login with a new program is reported to a confirmed address, and no other', async (t) => {
  const post = await MailServer.start();
  t.after(() => post.close());
  const { url } = await startCloud(t, { ...environment, ...post.settings });
  const ada = await Person.signUp(url, 'ada@example.com');
  const logInWithProgram = (program: string) =>
    call(url, {
      path: '/v1/users/login',
      headers: ['user-agent', program],
      body: { email: ada.email, password },
    });
  assert.equal((await logInWithProgram('Before/1.0')).status, 200);
  const token = tokenIn(await post.next(ada.email, 'Confirm'));
  const verified = await ada.call({ path: '/v1/users/verify', body: { token } });
  assert.equal(verified.status, 204);
  assert.equal((await logInWithProgram('Mozilla <b>Lizard</b>')).status, 200);
  const { source } = await post.next(ada.email, 'New login to your account');
  const lines = source.replaceAll(/=\r?\n/g, '');
  for (const part of ['Mozilla &#60;b&#62;Lizard', 'address 127.0.0.1', `${origin}/account`])
    assert.ok(lines.includes(part), lines);
  assert.equal((await logInWithProgram('Mozilla <b>Lizard</b>')).status, 200);
  assert.equal((await logInWithProgram('Other/2.0')).status, 200);
  const other = await post.next(ada.email, 'New login to your account');
  assert.ok(other.source.includes('Other/2.0'), other.source);
  assert.deepEqual(post.mails, []);
});

test('without an address that browsers accept, there are no passkeys', async (t) => {
  for (const address of [undefined, 'http://weir.example.com', 'https://192.0.2.1']) {
    const { url } = await startCloud(t, address === undefined ? {} : { WEIR_BASE_URL: address });
    const ada = await Person.signUp(url);
    assert.equal((await ada.call({ path: '/v1/users/passkeys' })).json.available, false);
    for (const answer of [
      await ada.call({ path: '/v1/users/passkeys/options', body: { password } }),
      await logInWith(url, 'passkey/options', {}),
    ])
      assertRefused(answer, 409, 'passkeys_unavailable');
  }
});
