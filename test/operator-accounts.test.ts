import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Environment } from '../src/gateway/settings.ts';
import { call } from './support/call.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { replicaSettings } from './support/replicas.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const homes: Readonly<Record<string, (t: TestContext) => Environment | Promise<Environment>>> = {
  'the embedded store': (t) => ({ WEIR_DATA_DIR: emptyFolder(t) }),
  'PostgreSQL and Redis': (t) => replicaSettings(t),
};

/** Without the time of the last use, which is stored later. */
function keysIn(lines: string): readonly string[] {
  return lines
    .split('\n')
    .filter((line) => line.includes('"type":"key"'))
    .map((line) => line.replace(/"last_used_at_ms":\w+/, ''));
}

describe('an operator', () => {
  for (const [home, environmentOf] of Object.entries(homes))
    test(`makes, lists, closes and lets in accounts and revokes keys while the gateway runs, on ${home}`, async (t) => {
      const environment: Environment = { WEIR_MODE: 'cloud', ...(await environmentOf(t)) };
      const gateways = [await startCloud(t, environment)];
      if (environment.DATABASE_URL !== undefined) gateways.push(await startCloud(t, environment));
      const urls = gateways.map(({ url }) => url);
      const [url = ''] = urls;
      const weir = (...args: readonly string[]) => runCommand(t, args, environment);
      const ada = await Person.signUp(url);
      const [leaked, other] = [await ada.makeKey({ name: 'leaked' }), await ada.makeKey()];
      const body = { model: 'demo-1', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] };
      const statuses = (key: string) =>
        Promise.all(
          urls.map(
            async (at) => (await call(at, { path: '/v1/messages', headers: bearer(key), body })).status,
          ),
        );
      const all = (status: number) => urls.map(() => status);
      const session = async () => (await ada.call({ path: '/v1/users/me' })).status;
      for (const { key } of [leaked, other]) assert.deepEqual(await statuses(key), all(200));

      const made = await weir('users', 'create', 'made@example.com');
      const revoked = await weir('keys', 'revoke', leaked.key);
      const link = await weir('users', 'reset', ada.email);
      const told = /shown only once: (\S+)\n$/.exec(made.said)?.[1];
      assert.ok(told, made.said);
      const login = { path: '/v1/users/login', body: { email: 'made@example.com', password: told } };
      assert.equal((await call(url, login)).status, 200);
      assert.deepEqual(
        [revoked.code, revoked.said],
        [0, `${leaked.key.slice(0, 12)}… is revoked from the next request on\n`],
      );
      assert.deepEqual([await statuses(leaked.key), await statuses(other.key)], [all(401), all(200)]);

      assert.ok(link.said.includes(environment.WEIR_BASE_URL ?? 'http://127.0.0.1:'), link.said);
      const token = /\/account\/reset#token=([\w-]+)\n$/.exec(link.said)?.[1];
      const confirmed = { token, password: 'another password' };
      assert.equal(
        (await call(url, { path: '/v1/users/password-reset/confirm', body: confirmed })).status,
        204,
      );
      assert.equal(await session(), 401);
      const back = { path: '/v1/users/login', body: { email: ada.email, password: 'another password' } };
      const newSession = String((await call(url, back)).json.token);
      const later = (await call(url, { path: '/v1/keys', headers: bearer(newSession), body: {} })).json;
      assert.deepEqual([await statuses(other.key), await statuses(String(later.key))], [all(401), all(200)]);

      const listed = await weir('users', 'list', '--json');
      const keys = await weir('keys', 'list', ada.email, '--json');
      const closed = await weir('users', 'disable', ada.email.toUpperCase());
      const people = listed.said
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)));
      assert.deepEqual(
        people.map(({ email }) => email).toSorted(),
        ['made@example.com', ada.email].toSorted(),
      );
      const shown = keys.said
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)));
      assert.deepEqual(
        shown.map(({ id, revokedAt }) => [id, revokedAt !== null]).toSorted(),
        [
          [leaked.id, true],
          // The address was not verified before: the operator's link is the first proof.
          [other.id, true],
          [String(later.id), false],
        ].toSorted(),
      );
      assert.ok(!keys.said.includes('$argon2id$'));
      assert.equal(
        closed.said,
        `${ada.email} is disabled: its keys and sessions do not work from the next request on\n`,
      );
      assert.deepEqual(await statuses(String(later.key)), all(401));
      assert.equal((await call(url, back)).status, 403);
      assert.equal((await call(url, { ...back, body: { email: ada.email, password } })).status, 401);
      assert.equal((await weir('users', 'enable', ada.email)).code, 0);
      assert.deepEqual(await statuses(String(later.key)), all(200));
      assert.equal((await call(url, back)).status, 200);

      const usage = await eventually(async () => {
        const { said } = await weir('users', 'usage', '--json', '--per', 'day');
        return said.includes(ada.id) ? said : undefined;
      });
      const used = Object(JSON.parse(usage.split('\n').find((line) => line.includes(ada.id)) ?? ''));
      assert.deepEqual([used.email, used.period], [ada.email, new Date().toISOString().slice(0, 10)]);
      const table = (await weir('users', 'usage', ada.email)).said.split('\n');
      assert.match(String(table[0]), /^address +calls +failed +input +output +cache read +cache write +USD$/);
      assert.match(String(table[1]), new RegExp(`^${ada.email} +\\d+ +\\d+ `));
      assert.match(String(table[2]), /^total +\d+ /);
      assert.match((await weir('users', 'usage', '--from', 'soon')).complained, /"soon" is not a day/);

      const exported = await weir('users', 'export', ada.id);
      const types = new Set(
        exported.said
          .split('\n')
          .filter(Boolean)
          .map((line) => Object(JSON.parse(line)).type),
      );
      for (const type of ['account', 'key', 'usage', 'request']) assert.ok(types.has(type), type);
      const file = join(emptyFolder(t), 'ada.jsonl.gz');
      assert.match((await weir('users', 'export', ada.email, file)).said, /^wrote the data of /);
      const bySelf = {
        path: '/v1/users/me/export',
        headers: bearer(String((await call(url, back)).json.token)),
      };
      const download = gunzipSync((await call(url, bySelf)).bytes).toString();
      assert.deepEqual(keysIn(gunzipSync(readFileSync(file)).toString()), keysIn(download));
      assert.match((await weir('users', 'export', ada.email, file)).complained, /exists already/);

      const unasked = await weir('users', 'delete', ada.email);
      assert.match(unasked.complained, /--yes deletes/);
      assert.deepEqual(await statuses(String(later.key)), all(200));
      const deleted = await weir('users', 'delete', ada.email, '--yes');
      assert.match(
        deleted.said,
        new RegExp(`^deleted the account ${ada.id} of .*\nthe running gateway erases`),
      );
      assert.deepEqual(await statuses(String(later.key)), all(401));
      assert.equal((await call(url, back)).status, 401);
      assert.match((await weir('users', 'export', ada.id)).complained, /no account with the id/);
    });

  test('is told what is wrong', async (t) => {
    const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t) };
    const said = async (...args: readonly string[]) => {
      const command = new WeirProcess(t, { args, environment });
      assert.equal((await command.exited).code, 1);
      return command.stderr;
    };
    const [unknown, nobody, key] = await Promise.all([
      said('users', 'rename'),
      said('users', 'disable', 'nobody@example.com'),
      said('keys', 'revoke', 'gw_live_none'),
    ]);
    assert.match(unknown, /^weir: weir users list \[--json\]\n {6}weir users create/);
    assert.equal(nobody, 'weir: no account with the email address nobody@example.com\n');
    assert.match(key, /^weir: no such active key/);
  });
});
