import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { isJsonObject } from '../src/lib/json.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { startReplicas } from './support/replicas.ts';
import { Guest } from './support/sandbox.ts';

const path = '/api/anon/claim';

function claim(url: string, key: string, session_id: unknown): Promise<RawAnswer> {
  return call(url, { path, headers: bearer(key), body: { session_id } });
}

async function personWithKey(url: string): Promise<{ readonly person: Person; readonly key: string }> {
  const person = await Person.signUp(url);
  return { person, key: (await person.makeKey()).key };
}

async function receiptsOf(person: Person): Promise<readonly unknown[]> {
  const { json } = await person.call({ path: '/v1/receipts' });
  assert.ok(Array.isArray(json.receipts));
  return json.receipts;
}

/** A session that has made two calls. */
async function usedSession(url: string): Promise<Guest> {
  const guest = await Guest.begin(url);
  for (let at = 0; at < 2; at++) assert.equal((await guest.ask()).status, 200);
  return guest;
}

test('a claim makes the receipts of a session the account’s own, and changes none', async (t) => {
  const weir = await startCloud(t);
  const guest = await usedSession(weir.url);
  const before = await guest.receipts();
  const { person, key } = await personWithKey(weir.url);
  const { status, json } = await claim(weir.url, key, guest.id);
  assert.equal(status, 200);
  const { claimed_at, ...rest } = json;
  assert.deepEqual(rest, { ok: true, session_id: guest.id, receipts: 2 });
  assert.match(String(claimed_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual((await receiptsOf(person)).toReversed(), before);
  assert.deepEqual(await guest.receipts(), before);
  assert.deepEqual((await claim(weir.url, key, guest.id)).json, json);
  assert.deepEqual((await claim(weir.url, (await person.makeKey()).key, guest.id.toUpperCase())).json, json);
});

test('later receipts of the session belong to the account, too, and stay public', async (t) => {
  const weir = await startCloud(t);
  const guest = await usedSession(weir.url);
  const { person, key } = await personWithKey(weir.url);
  await claim(weir.url, key, guest.id);
  await guest.ask();
  const [latest, ...others] = await receiptsOf(person);
  assert.equal(others.length, 2);
  assert.ok(isJsonObject(latest));
  assert.equal((await call(weir.url, { path: `/v1/receipts/${latest.receipt_id}` })).status, 200);
});

test('only one account gets a session, of however many that ask at once', async (t) => {
  const [one, other] = await startReplicas(t);
  const guest = await usedSession(one.url);
  const people = await Promise.all(Array.from({ length: 6 }, () => personWithKey(one.url)));
  const answers = await Promise.all(
    people.map(({ key }, at) => claim((at % 2 === 0 ? one : other).url, key, guest.id)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const [at, answer] of answers.entries()) {
    const listed = await receiptsOf(people[at]?.person ?? assert.fail());
    if (answer.status === 200) assert.equal(listed.length, 2);
    else {
      assertError(answer, { status: 409, type: 'invalid_request', code: 'already_claimed' });
      assert.deepEqual(listed, []);
    }
  }
});

test('a session that is over or revoked can be claimed', async (t) => {
  const weir = await startCloud(t);
  const guest = await usedSession(weir.url);
  await guest.call({ method: 'DELETE', path: `/v1/anon/sessions/${guest.id}` });
  const short = await startCloud(t, { WEIR_SANDBOX_TTL: '1ms' });
  const over = await Guest.begin(short.url);
  for (const [{ url }, { id }, receipts] of [
    [weir, guest, 2],
    [short, over, 0],
  ] as const)
    assert.equal((await claim(url, (await personWithKey(url)).key, id)).json.receipts, receipts);
});

test('claims are for API keys, and for sessions that there are', async (t) => {
  const weir = await startCloud(t);
  const { person, key } = await personWithKey(weir.url);
  const guest = await Guest.begin(weir.url);
  const unauthenticated = { status: 401, type: 'authentication_error' };
  for (const token of [person.token, guest.token, 'gw_live_nothing'])
    assertError(await claim(weir.url, token, guest.id), unauthenticated);
  assertError(await call(weir.url, { path, body: { session_id: guest.id } }), unauthenticated);
  const malformed = { status: 400, type: 'invalid_session_id', code: 'invalid_session_id' };
  for (const id of ['', 'x', `${guest.id}0`, 7, null, undefined])
    assertError(await claim(weir.url, key, id), malformed);
  assertError(await claim(weir.url, key, randomUUID()), {
    status: 404,
    type: 'not_found',
    code: 'not_found',
  });
  await refusedLocally(t);
});

async function refusedLocally(t: TestContext): Promise<void> {
  const weir = await startTestGateway();
  t.after(() => weir.close());
  const answer = await call(weir.url, { path, body: { session_id: randomUUID() } });
  assertError(answer, { status: 503, type: 'permission_error' });
}
