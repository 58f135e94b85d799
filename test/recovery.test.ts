import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { limits } from '../src/accounts/limits.ts';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { lowerQuartile } from './support/cpu-time.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { MailServer, tokenIn } from './support/mail-server.ts';

let mail: MailServer;
before(async () => {
  mail = await MailServer.start();
});
after(() => mail.close());

for (const [home, start] of Object.entries(gatewaysOnStores))
  describe(`on ${home}`, () => {
    test('people confirm their address, see where they are logged in, end that, and change and reset passwords', async (t) => {
      const [one, other] = await start(t, mail.settings);
      const ada = await Person.signUp(one);
      await assertVerified([one, other], ada);
      const second = await entered(other, ada.email, password, ['user-agent', 'Mobile/1.0']);
      const third = await entered(other, ada.email, password);

      const listed = await listOf(one, ada.token);
      assert.deepEqual(
        listed.map(({ client, current }) => [client, current]),
        [
          ['', false],
          ['Mobile/1.0', false],
          ['', true],
        ],
      );
      const mobile = listed[1];
      assert.ok(mobile);
      const end = (token: string, id: unknown) =>
        call(one, { method: 'DELETE', path: `/v1/users/sessions/${id}`, headers: bearer(token) });
      const stranger = await Person.signUp(one);
      for (const [token, id] of [
        [stranger.token, mobile.id],
        [ada.token, 'x'],
        [ada.token, stranger.id],
      ] as const)
        assertError(await end(token, id), { status: 404, type: 'not_found' });
      assert.equal((await end(ada.token, mobile.id)).status, 204);
      assert.deepEqual(await statuses(other, [ada.token, second, third]), [200, 401, 200]);

      const change = (token: string, current: string, next: string) =>
        call(other, {
          method: 'PUT',
          path: '/v1/users/password',
          headers: bearer(token),
          body: { current, next },
        });
      assertError(await change(ada.token, 'wrong', 'another horse'), {
        status: 401,
        type: 'authentication_error',
        code: 'wrong_password',
      });
      assertError(await change(ada.token, password, 'short'), {
        status: 400,
        type: 'invalid_request',
        param: 'next',
      });
      // Both know the password; one of them changes it, and is the only one who stays.
      const changes = await Promise.all([
        change(ada.token, password, 'another horse'),
        change(third, password, 'another pony'),
      ]);
      assert.deepEqual(changes.map(({ status }) => status).toSorted(), [204, 401]);
      const firstWon = changes[0]?.status === 204;
      assert.deepEqual(await statuses(one, [ada.token, third]), firstWon ? [200, 401] : [401, 200]);
      const chosen = firstWon ? 'another horse' : 'another pony';
      assert.equal((await logIn(one, ada.email, password)).status, 401);
      const again = await entered(one, ada.email, chosen);

      const ask = () =>
        call(one, { path: '/v1/users/password-reset', body: { email: ` ${ada.email.toUpperCase()}` } });
      assert.equal((await ask()).status, 202);
      const first = tokenIn(await mail.next(ada.email, 'Set a new password'));
      assert.equal((await ask()).status, 202);
      const latest = tokenIn(await mail.next(ada.email, 'Set a new password'));
      const reset = (url: string, token: string, chosenPassword: string) =>
        call(url, { path: '/v1/users/password-reset/confirm', body: { token, password: chosenPassword } });
      const resets = await Promise.all([
        reset(one, first, 'reset by the first'),
        reset(other, first, 'reset by the first'),
        reset(one, latest, 'reset by the latest'),
        reset(other, latest, 'reset by the latest'),
      ]);
      assert.deepEqual(resets.map(({ status }) => status).toSorted(), [204, 400, 400, 400]);
      for (const answer of resets)
        if (answer.status !== 204)
          assertError(answer, {
            status: 400,
            type: 'invalid_request',
            code: 'invalid_token',
            param: 'token',
          });
      assert.deepEqual(await statuses(other, [ada.token, third, again]), [401, 401, 401]);
      const won =
        resets.findIndex(({ status }) => status === 204) < 2 ? 'reset by the first' : 'reset by the latest';
      assert.equal((await logIn(other, ada.email, chosen)).status, 401);
      assert.equal((await logIn(other, ada.email, won)).status, 200);
    });
  });

describe('a mail', () => {
  let weir: TestGateway;
  let url: string;
  let logLines: readonly string[];
  before(async () => {
    weir = await startTestGateway({ WEIR_MODE: 'cloud', ...mail.settings });
    ({ url, logLines } = weir);
  });
  after(() => weir.close());
  const ask = (email: string) => call(url, { path: '/v1/users/password-reset', body: { email } });

  test('has a link to the gateway in words and as a page, and nothing else', async () => {
    const ada = await Person.signUp(url);
    const headers = ['host', 'evil.example', 'x-forwarded-host', 'evil.example'];
    await call(url, { path: '/v1/users/password-reset', body: { email: ada.email }, headers });
    const letter = await mail.next(ada.email, 'Set a new password');
    assert.equal(letter.from, 'weir@example.com');
    assert.match(letter.source, /^From: Weir <weir@example\.com>\r\n/m);
    const whole = letter.source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    for (const type of ['text/plain', 'text/html']) assert.ok(whole.includes(`Content-Type: ${type}`));
    const links = [...whole.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => link);
    assert.deepEqual([...new Set(links)], [`${url}/account/reset#token=${tokenIn(letter)}`]);
    assert.ok(!whole.includes('<img') && !whole.includes('evil'));
    const page = await call(url, { path: '/account/reset' });
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'.*script-src 'sha256-/);
    assert.ok(page.text.includes('Set a new password'));
  });

  test('is asked for in the same words and the same time, whether there is an account or not', async () => {
    // A token and a mail server would make all of them several times as slow, each time; a busy machine does so now and then.
    const ratios: number[] = [];
    while (!ratios.some((ratio) => ratio > 0.25 && ratio < 4)) {
      assert.ok(ratios.length < 3, `${ratios}`);
      ratios.push(await ratioOfTimes());
    }
  });

  /** How long a known address takes, for each millisecond of an unknown one. */
  async function ratioOfTimes(): Promise<number> {
    const known: number[] = [];
    const unknown: number[] = [];
    const timed = async (email: string, times: number[]) => {
      const begun = performance.now();
      const answer = await ask(email);
      times.push(performance.now() - begun);
      assert.deepEqual([answer.status, answer.text], [202, '{"accepted":true}']);
    };
    for (let person = 0; person < 2; person++) {
      const ada = await Person.signUp(url);
      for (let letter = 0; letter < limits.mailsPerAccount.most; letter++) {
        await timed(ada.email, known);
        // Before it has left, whatever is asked next would wait for the work that it makes.
        await mail.next(ada.email, 'Set a new password');
        await timed(`nobody${randomUUID()}@example.com`, unknown);
      }
    }
    return lowerQuartile(known) / lowerQuartile(unknown);
  }

  test('comes five times in an hour at most', async () => {
    const ada = await Person.signUp(url);
    const { most } = limits.mailsPerAccount;
    for (let asked = 0; asked < most + 2; asked++) assert.equal((await ask(ada.email)).status, 202);
    const tokens: string[] = [];
    for (let got = 0; got < most; got++)
      tokens.push(tokenIn(await mail.next(ada.email, 'Set a new password')));
    const control = await Person.signUp(url);
    await ask(control.email);
    await mail.next(control.email, 'Set a new password');
    assert.ok(!mail.mails.some(({ to, source }) => to.includes(ada.email) && source.includes('Set a new')));
    assert.equal(new Set(tokens).size, most);
  });

  test('whose server is away for a moment is sent again, and nothing of it is in the log', async () => {
    const ada = await Person.signUp(url);
    await mail.next(ada.email, 'Confirm');
    mail.refusals = 1;
    await ask(ada.email);
    const token = tokenIn(await mail.next(ada.email, 'Set a new password'));
    assert.ok(!logLines.join('').includes(token));
    assert.ok(!logLines.join('').includes(ada.email));
  });
});

test('without a mail server nobody can ask for a link', async (t) => {
  const { url } = await startCloud(t);
  const ada = await Person.signUp(url);
  const asked = [
    await call(url, { path: '/v1/users/password-reset', body: { email: ada.email } }),
    await call(url, { path: '/v1/users/password-reset', body: {} }),
    await ada.call({ path: '/v1/users/verify/mail', body: {} }),
  ];
  for (const answer of asked) {
    assertError(answer, { status: 503, type: 'internal_error', code: 'mail_not_configured' });
    assert.equal(Object(answer.json.error).detail, 'mail_not_configured');
  }
  // Links of the operator's work all the same, and can be guessed at only so often.
  const confirm = () =>
    call(url, { path: '/v1/users/password-reset/confirm', body: { token: 'made-up', password } });
  for (let tries = 0; tries < limits.mailsPerAddress.most; tries++)
    assertError(await confirm(), { status: 400, type: 'invalid_request', code: 'invalid_token' });
  assertError(await confirm(), { status: 429, type: 'rate_limit_error', code: 'too_many_attempts' });
});

/** By the link that signing up sends, which works once. */
async function assertVerified([one, other]: readonly [string, string], ada: Person): Promise<void> {
  const shown = async () =>
    (await call(other, { path: '/v1/users/verify', headers: bearer(ada.token) })).json;
  assert.deepEqual(await shown(), { verified: false, mail: true });
  const token = tokenIn(await mail.next(ada.email, 'Confirm your e-mail address'));
  const verify = (url: string) =>
    call(url, { path: '/v1/users/verify', body: { token }, headers: bearer(ada.token) });
  const used = await Promise.all([verify(one), verify(other)]);
  assert.deepEqual(used.map(({ status }) => status).toSorted(), [204, 400]);
  assert.deepEqual(await shown(), { verified: true, mail: true });
}

function logIn(
  url: string,
  email: string,
  typed: string,
  headers: readonly string[] = [],
): Promise<RawAnswer> {
  return call(url, { path: '/v1/users/login', body: { email, password: typed }, headers });
}

async function entered(...login: Parameters<typeof logIn>): Promise<string> {
  const answer = await logIn(...login);
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json.token);
}

async function listOf(url: string, token: string) {
  const { json } = await call(url, { path: '/v1/users/sessions', headers: bearer(token) });
  assert.ok(Array.isArray(json.sessions));
  const listed: readonly Record<string, unknown>[] = json.sessions.map(Object);
  return listed;
}

function statuses(url: string, tokens: readonly string[]): Promise<readonly number[]> {
  return Promise.all(
    tokens.map(async (token) => (await call(url, { path: '/v1/users/me', headers: bearer(token) })).status),
  );
}
