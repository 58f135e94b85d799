import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JSONWebKeySet } from 'jose';
import { LineVerifier } from '../src/audit/verify-lines.ts';
import { findStatementProblem } from '../src/lib/signed-statement.ts';
import { assertError } from './support/assert-error.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { emptyFolder } from './support/weir-process.ts';

const adminToken = 'the-token-of-the-operator-of-this-test';

async function keysOf(url: string): Promise<JSONWebKeySet> {
  const { json } = await call(url, { path: '/.well-known/jwks.json' });
  return { keys: Object(json.keys) };
}

/** The faults of the files, which a verifier reads one after the other. */
async function faultsOf(keys: JSONWebKeySet, ...files: readonly (readonly string[])[]) {
  const verifier = new LineVerifier((statement) => findStatementProblem(statement, keys));
  for (const lines of files) {
    for (const line of lines) await verifier.add(line);
    verifier.endFile();
  }
  return verifier.results().flatMap(({ faults }) => faults);
}

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

describe('the audit log of an account', () => {
  test('is listed in pages, filtered, and for its people alone', async (t) => {
    const { url } = await startCloud(t, { WEIR_ADMIN_TOKEN: adminToken });
    const [ada, bob] = [await Person.signUp(url), await Person.signUp(url)];
    const { key, id } = await ada.makeKey();
    await ada.call({ path: `/v1/keys/${id}/owner`, method: 'PUT', body: { owner: 'Grace' } });
    const list = async (query = '') => {
      const { status, json, text } = await ada.call({ path: `/v1/audit${query}` });
      assert.equal(status, 200, text);
      return { entries: Object(json.entries), next: json.next_cursor };
    };
    const events = (page: { readonly entries: readonly { readonly event: string }[] }) =>
      page.entries.map(({ event }) => event);
    const all = await list();
    assert.deepEqual(events(all), ['key.changed', 'key.created', 'account.created']);
    assert.equal(all.entries[0].personal['after.owner'], 'Grace');
    assert.equal(all.entries[0].personal.address, '127.0.0.1');
    assert.equal(all.entries[0].previous, all.entries[1].hash);
    const first = await list('?limit=2');
    assert.deepEqual(events(first), ['key.changed', 'key.created']);
    const rest = await list(`?limit=2&after=${first.next}`);
    assert.deepEqual([events(rest), rest.next], [['account.created'], null]);
    assert.deepEqual(events(await list('?event=account.created,key.created')), [
      'key.created',
      'account.created',
    ]);
    assert.deepEqual(events(await list(`?actor=user:${bob.id}`)), []);
    assert.deepEqual(events(await list('?to=2026-01-01')), []);
    assert.equal((await list('?from=2026-01-01')).entries.length, 3);
    for (const wrong of [
      'event=no.event',
      'after=x',
      'from=yesterday',
      'from=2026-02-01&to=2026-01-01',
      'of=bob',
    ])
      assert.equal((await ada.call({ path: `/v1/audit?${wrong}` })).status, 400, wrong);
    const others = await bob.call({ path: '/v1/audit' });
    assert.equal(Object(others.json.entries).length, 1);
    for (const path of ['/v1/audit', '/v1/audit/export', '/v1/operator/audit'])
      assertError(await call(url, { path, headers: bearer(key) }), {
        status: 401,
        type: 'authentication_error',
        code: 'authentication_required',
      });
    const ofInstance = await call(url, { path: '/v1/operator/audit', headers: bearer(adminToken) });
    assert.deepEqual(
      Object(ofInstance.json.entries).map((entry: { event: string; attempt: string }) => entry.attempt),
      ['GET /v1/operator/audit'],
    );
  });

  test('is exported in a form that shows every change of a line, without the gateway', async (t) => {
    const { url } = await startCloud(t, { WEIR_DATA_DIR: emptyFolder(t) });
    const ada = await Person.signUp(url);
    for (const name of ['one', 'two', 'three']) await ada.makeKey({ name });
    const keys = await keysOf(url);
    const lines = linesOf((await ada.call({ path: '/v1/audit/export' })).text);
    assert.deepEqual(
      lines.map((line) => Object(JSON.parse(line))).map(({ audit, event }) => audit ?? event),
      ['start', 'account.created', ...Array(3).fill('key.created'), 'audit.exported', 'head'],
    );
    assert.deepEqual(await faultsOf(keys, lines), []);
    assert.deepEqual(
      await faultsOf(
        keys,
        lines.map((line) => withoutValues(line)),
      ),
      [],
    );
    const tampered: (readonly string[])[] = [];
    for (const [at, line] of lines.entries()) {
      tampered.push(lines.toSpliced(at, 1), lines.toSpliced(at, 0, line));
      tampered.push(lines.with(at, changedIn(line, 'signed_at')), lines.with(at, changedIn(line, 'event')));
      tampered.push(lines.with(at, changedIn(line, 'hash')), lines.with(at, line.slice(0, -5)));
      const next = lines[at + 1];
      if (next !== undefined) tampered.push(lines.with(at, next).with(at + 1, line));
    }
    for (const forged of tampered)
      if (forged.join() !== lines.join()) {
        const faults = await faultsOf(keys, forged);
        assert.ok(faults.length > 0, forged.join('\n'));
      }
    const values = lines[1]?.replace('127.0.0.1', '192.0.2.1') ?? '';
    assert.deepEqual(await faultsOf(keys, lines.with(1, values)), ['the address of entry 1 was changed']);
    const other = await startCloud(t);
    assert.match(String(await faultsOf(await keysOf(other.url), lines)), /not in the given key set/);
  });

  test('is exported from one time to another, and later exports agree with earlier ones', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    await ada.makeKey();
    const keys = await keysOf(url);
    const whole = linesOf((await ada.call({ path: '/v1/audit/export' })).text);
    const { at } = Object(JSON.parse(whole[2] ?? ''));
    await ada.makeKey();
    const later = linesOf((await ada.call({ path: `/v1/audit/export?from=${at}` })).text);
    assert.ok(later.length >= 5);
    assert.deepEqual(await faultsOf(keys, whole, later), []);
    assert.deepEqual(await faultsOf(keys, later), []);
    const none = linesOf((await ada.call({ path: '/v1/audit/export?to=2026-01-01' })).text);
    assert.deepEqual(await faultsOf(keys, none), []);
    const syslog = linesOf((await ada.call({ path: '/v1/audit/export?format=syslog' })).text);
    for (const line of syslog)
      assert.match(
        line,
        /^<10[89]>1 \d{4}-\d\d-\d\dT[\d:.]+Z - weir - [a-z_.]{1,32} \[audit@32473( [a-z]+="[^"]*")+\] \{.*\}$/,
      );
    assert.deepEqual(await faultsOf(keys, syslog), []);
  });
});

function withoutValues(line: string): string {
  const { values: _, ...fields } = Object(JSON.parse(line));
  return JSON.stringify(fields);
}

function changedIn(line: string, field: string): string {
  const fields = Object(JSON.parse(line));
  return JSON.stringify(field in fields ? { ...fields, [field]: 'changed' } : fields);
}
