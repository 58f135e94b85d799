import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openChains, readChain } from './support/audit-chains.ts';
import { call } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const kills = Number(process.env.KILLS ?? 2);

/** A gateway that is killed and started again on the same data. */
function killable(t: TestContext) {
  const folder = emptyFolder(t);
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: folder };
  return {
    environment,
    start: () => new WeirProcess(t, { environment, folder }),
    /** Without a gateway, or beside it. */
    query(sql: string): readonly Readonly<Record<string, unknown>>[] {
      const database = new DatabaseSync(join(folder, 'weir.db'), { timeout: 10_000 });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
  };
}

async function kill(weir: WeirProcess): Promise<void> {
  weir.signal('SIGKILL');
  await weir.exited;
}

const takenForDead = 'update announced_changes set until_ms = 0';

test('a change whose entry a kill has prevented has one that says so, and its chain verifies', async (t) => {
  const { environment, start, query } = killable(t);
  const first = start();
  const ada = await Person.signUp(await first.listening);
  query(`create trigger no_entries before insert on audit_entries begin select raise(abort, 'full'); end`);
  const { id } = await ada.makeKey();
  await kill(first);
  query('drop trigger no_entries');
  query(takenForDead);
  const second = start();
  await second.listening;
  const audit = await openChains(t, environment);
  const found = await eventually(async () => {
    const entries = await readChain(audit, ada.id);
    return entries.length > 1 ? entries : undefined;
  });
  const { fields } = found[1] ?? {};
  assert.ok(id !== '');
  assert.deepEqual(
    [fields.event, fields.outcome, fields.actor, fields.route],
    ['key.created', 'unknown', `user:${ada.id}`, 'POST /v1/keys'],
  );
  await eventually(() => (query('select * from announced_changes').length === 0 ? true : undefined));
  await kill(second);
});

test('however often a gateway is killed, no key is without an entry', async (t) => {
  const { environment, start, query } = killable(t);
  let weir = start();
  const ada = await Person.signUp(await weir.listening);
  for (let round = 0; round < kills; round++) {
    const url = await weir.listening;
    let made = 0;
    const makeSome = async () => {
      for (;;)
        try {
          await call(url, { path: '/v1/keys', body: { name: `k${made}` }, headers: bearer(ada.token) });
          made++;
        } catch {
          return;
        }
    };
    const making = [makeSome(), makeSome(), makeSome()];
    await eventually(() => (made > 20 + round ? true : undefined));
    await kill(weir);
    await Promise.all(making);
    query(takenForDead);
    weir = start();
  }
  await weir.listening;
  await eventually(() => (query('select * from announced_changes').length === 0 ? true : undefined));
  const entries = await readChain(await openChains(t, environment), ada.id);
  const created = entries.filter(({ fields }) => fields.event === 'key.created');
  const known = new Set(created.map(({ fields }) => fields.key));
  const keys = query('select id from api_keys').map(({ id }) => id);
  const without = keys.filter((id) => !known.has(id));
  const unknown = created.filter(({ fields }) => fields.outcome === 'unknown');
  t.diagnostic(`${kills} kills: ${keys.length} keys, ${without.length} in entries of unknown outcome`);
  assert.ok(keys.length > 20 * kills);
  assert.ok(without.length <= unknown.length, `${without.length} of ${unknown.length}`);
  await kill(weir);
});
