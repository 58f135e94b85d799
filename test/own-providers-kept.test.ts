import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Environment } from '../src/gateway/settings.ts';
import type { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { forge } from './support/moving.ts';
import { allowing, assertRefused, Definer, lastOf, said, startServer } from './support/own-providers.ts';
import { replicaSettings } from './support/replicas.ts';
import { runCommand } from './support/run-command.ts';
import { placesWith, readAllStoredData } from './support/stored-data.ts';
import { emptyFolder } from './support/weir-process.ts';

const homes: Readonly<Record<string, (t: TestContext) => Environment | Promise<Environment>>> = {
  'the embedded store': () => ({}),
  'PostgreSQL and Redis': (t) => replicaSettings(t),
};
const secret = 'a secret that all the processes of this test have in common';

/** Somebody whose provider has a header and two keys. */
async function settle(url: string, server: FakeUpstream): Promise<Definer> {
  const ann = await Definer.at(url);
  await ann.mustDefine('acme', {
    base_url: `${server.url}/v1`,
    models: ['llama-4'],
    headers: { 'x-team': 'team-canary' },
    prices: { 'llama-4': { prices: { input: 1, output: 2 } } },
  });
  await ann.storeKey('acme', 'sk-canary-first');
  const second = { key: 'sk-canary-second', name: 'second' };
  const added = await ann.person.call({ path: '/v1/byok/acme/keys', body: second });
  assert.ok(added.status < 300, added.text);
  return ann;
}

/** Asks until both keys have been used: they share the conversations. */
async function assertInUse(ann: Definer, server: FakeUpstream, url = ann.person.url): Promise<void> {
  const used = new Set<unknown>();
  await eventually(async () => {
    const answer = await ann.ask('acme/llama-4', ['x-weir-conversation', randomUUID()], url);
    assert.equal(said(answer), 'from acme', answer.text);
    const { authorization, 'x-team': team } = lastOf(server).headers;
    assert.equal(team, 'team-canary');
    used.add(authorization);
    return used.size === 2 ? true : undefined;
  });
  assert.deepEqual([...used].toSorted(), ['Bearer sk-canary-first', 'Bearer sk-canary-second']);
}

describe('the provider of an account', () => {
  test('moves with its keys and headers from a data folder to PostgreSQL, and back', async (t) => {
    const server = await startServer(t, 'from acme');
    const folder = emptyFolder(t);
    const [file, words] = [join(folder, 'account.weir'), join(folder, 'passphrase')];
    writeFileSync(words, 'a passphrase of some length\n');
    const cloud = { WEIR_MODE: 'cloud', ...allowing([server]) };
    const embedded = { ...cloud, WEIR_DATA_DIR: join(folder, 'data') };
    const home = await startCloud(t, embedded);
    const ann = await settle(home.url, server);
    await home.close();
    const remote = { ...cloud, WEIR_DATA_DIR: emptyFolder(t), ...(await replicaSettings(t)) };
    const there = await startCloud(t, remote);
    const move = async (from: Environment, to: Environment, [account, into]: readonly [string, string]) => {
      const sealing = ['--passphrase-file', words];
      const written = await runCommand(
        t,
        ['export', file, '--account', account, '--secrets', '--force', ...sealing],
        from,
      );
      assert.equal(written.code, 0, written.complained);
      const read = await runCommand(t, ['import', file, '--account', into, ...sealing], to);
      assert.equal(read.code, 0, read.complained);
      assert.doesNotMatch(read.said, /refused: [1-9]/);
    };
    const moved = await Definer.at(there.url);
    await move(embedded, remote, [ann.person.id, moved.person.id]);
    const listed = await moved.person.call({ path: '/v1/providers' });
    assert.deepEqual(
      [at(listed.json, 'providers', 0, 'name'), at(listed.json, 'providers', 0, 'has_key')],
      ['acme', true],
    );
    await assertInUse(moved, server);
    const another = { ...cloud, WEIR_DATA_DIR: emptyFolder(t) };
    const back = await startCloud(t, another);
    const returned = await Definer.at(back.url);
    await move(remote, another, [moved.person.id, returned.person.id]);
    await assertInUse(returned, server);
  });

  test('arrives without keys and headers in a file without secrets', async (t) => {
    const server = await startServer(t, 'from acme');
    const { url } = await startCloud(t, allowing([server]));
    const ann = await settle(url, server);
    const { bytes } = await ann.person.call({ path: '/v1/export' });
    const ben = await Definer.at(url);
    const imported = await ben.person.call({ path: '/v1/import', body: bytes });
    assert.equal(imported.status, 200, imported.text);
    assert.equal(said(await ben.ask('acme/llama-4')), 'from acme');
    const { authorization, 'x-team': team } = lastOf(server).headers;
    assert.deepEqual([authorization, team], [undefined, undefined]);
    await ben.mustDefine('acme', { base_url: `${server.url}/v1`, headers: { 'x-team': 'of ben' } });
    assert.equal(said(await ben.ask('acme/llama-4')), 'from acme');
    assert.equal(lastOf(server).headers['x-team'], 'of ben');
  });

  test('is held to the same limits in a file', async (t) => {
    const server = await startServer(t, 'from acme');
    const { url } = await startCloud(t, allowing([server]));
    const ann = await settle(url, server);
    const { bytes } = await ann.person.call({ path: '/v1/export' });
    const ben = await Definer.at(url);
    const many = forge(bytes, (row) =>
      row.module === 'providers'
        ? Array.from({ length: 25 }, (_, number) => ({
            ...row,
            name: `acme-${String(number).padStart(2, '0')}`,
          }))
        : [row],
    );
    const imported = await ben.person.call({ path: '/v1/import', body: many });
    assert.equal(imported.status, 200, imported.text);
    assert.match(imported.text, /an account has at most 20 providers of its own/);
    const { json } = await ben.person.call({ path: '/v1/providers' });
    assert.equal(Array.isArray(json.providers) && json.providers.length, 20);
  });

  for (const [home, environmentOf] of Object.entries(homes)) {
    test(`is exported without secrets and erased with its account, on ${home}`, async (t) => {
      const server = await startServer(t, 'from acme');
      const environment = {
        ...{ WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t), ...allowing([server]) },
        ...(await environmentOf(t)),
      };
      const { url, close } = await startCloud(t, environment);
      const [ann, ben] = [await settle(url, server), await settle(url, server)];
      await assertInUse(ann, server);
      const { bytes } = await ann.person.call({ path: '/v1/users/me/export' });
      const exported = gunzipSync(bytes).toString();
      const rows = exported
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)));
      const row = rows.find(({ type, module }) => type === 'configuration' && module === 'providers');
      assert.equal(row?.name, 'acme');
      assert.match(row?.content, /llama-4/);
      const keys = rows.filter(({ type }) => type === 'provider_key');
      assert.equal(keys.filter(({ provider }) => String(provider).startsWith('acme@')).length, 3);
      assert.doesNotMatch(exported, /canary/);
      const left = await ann.person.call({ method: 'DELETE', path: '/v1/users/me', body: { password } });
      assert.equal(left.status, 204, left.text);
      const tables = ['configurations', 'provider_keys', 'further_provider_keys'];
      await eventually(async () => {
        const places = placesWith(ann.person.id, await readAllStoredData(environment));
        return tables.some((name) => places.includes(name)) ? undefined : true;
      });
      await assertInUse(ben, server);
      await close();
    });
  }

  test('is in a backup, and its secrets follow a change of the secret', async (t) => {
    const server = await startServer(t, 'from acme');
    const other = await startServer(t, 'from the operator');
    const folder = emptyFolder(t);
    const environment = {
      ...{ WEIR_MODE: 'cloud', WEIR_DATA_DIR: join(folder, 'data'), WEIR_SECRET: secret },
      ...{ ...allowing([server]), WEIR_SHARED_BASE_URL: `${other.url}/v1` },
    };
    const weir = async (settings: Environment, ...args: readonly string[]) => {
      const { code, said: printed, complained } = await runCommand(t, args, settings);
      assert.equal(code, 0, complained);
      return printed;
    };
    const first = await startCloud(t, environment);
    const ann = await settle(first.url, server);
    const copy = join(folder, 'copy');
    await weir(environment, 'backup', copy);
    await ann.person.call({ method: 'DELETE', path: '/v1/providers/acme' });
    assert.equal((await ann.ask('acme/llama-4')).status, 404);
    await first.close();
    await weir(environment, 'restore', copy);
    const restored = await startCloud(t, environment);
    await assertInUse(ann, server, restored.url);
    await restored.close();

    const newSecret = `${secret}, and is new`;
    const changed = { ...environment, WEIR_SECRET: newSecret };
    const lost = await startCloud(t, changed);
    assertRefused(await ann.ask('acme/llama-4', [], lost.url), 500, 'provider_key_unreadable');
    // What one provider lacks is no fault of another.
    const shared = await ann.ask('shared/m', ['x-provider-key', 'shared=sk-of-ann'], lost.url);
    assert.equal(said(shared), 'from the operator', shared.text);
    const models = await call(lost.url, { path: '/v1/models', headers: bearer(ann.key) });
    assert.equal(models.status, 200, models.text);
    assert.doesNotMatch(models.text, /acme/);
    await lost.close();

    assert.match(await weir({ ...changed, WEIR_SECRET_PREVIOUS: secret }, 'reseal'), /^3 keys re-encrypted/m);
    const found = await startCloud(t, changed);
    await assertInUse(ann, server, found.url);
  });
});
