import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sealer } from '../accounts/sealer.ts';
import { systemClock } from '../lib/clock.ts';
import { limits as storageLimits } from '../storage/limits.ts';
import { createModuleTables } from '../testing/module-tables.ts';
import { DecisionLogs } from './decision-logs.ts';
import { limits } from './limits.ts';

const sealer = new Sealer([Buffer.alloc(32, 'a key')]);
const whose = { module: 'probe', scope: 'account:1', root: 'root' };

function replicas(clock = systemClock) {
  const { modules: stores, execute } = createModuleTables(clock);
  const replica = () => new DecisionLogs({ stores, clock, sealing: sealer });
  return { stores, execute, replica };
}

test('the first decision about a place stands, on every replica and after a restart', async () => {
  const { replica } = replicas();
  const [one, other] = [replica(), replica()];
  assert.equal(await one.of(whose).get('a'), undefined);
  assert.equal(await other.of(whose).get('a'), undefined);
  assert.deepEqual(await one.of(whose).decideOnce('a', () => ({ chosen: [1, 2] })), { chosen: [1, 2] });
  assert.deepEqual(await other.of(whose).decideOnce('a', () => assert.fail('it is decided')), {
    chosen: [1, 2],
  });
  await other.of(whose).decideOnce('b', () => 'other');
  assert.equal(await one.of(whose).get('b'), 'other');
  assert.equal(await replica().of(whose).get('b'), 'other');
});

test('many decisions are read at once, in the order of their names, also those of other replicas', async () => {
  const { replica } = replicas();
  const [one, other] = [replica(), replica()];
  await one.of(whose).decideOnce('a', () => 1);
  assert.deepEqual([...(await other.of(whose).getAll(['b', 'a']))], [['a', 1]]);
  await one.of(whose).decideOnce('b', () => [2]);
  const log = other.of(whose);
  assert.deepEqual(
    [...(await log.getAll(['b', 'missing', 'a']))],
    [
      ['b', [2]],
      ['a', 1],
    ],
  );
  await assert.rejects(log.getAll(['a', '']), /needs a name/);
});

test('of those who decide at the same time, all get the one decision', async () => {
  const { replica } = replicas();
  const ledgers = [replica(), replica(), replica()];
  for (const ledger of ledgers) await ledger.of(whose).get('a');
  const decided = await Promise.all(
    ledgers.flatMap((ledger, at) => [
      ledger.of(whose).decideOnce('a', async () => at),
      ledger.of(whose).decideOnce('a', async () => `${at} again`),
    ]),
  );
  assert.equal(new Set(decided).size, 1);
});

test('a later decision does not replace the first in the store', async () => {
  const { replica } = replicas();
  const [first, second] = [replica(), replica()];
  const { promise: firstIsStored, resolve: storeFirst } = Promise.withResolvers<void>();
  const late = second.of(whose).decideOnce('a', async () => {
    await firstIsStored;
    return 'second';
  });
  assert.equal(await first.of(whose).decideOnce('a', () => 'first'), 'first');
  storeFirst();
  assert.equal(await late, 'first');
  for (const log of [first, second, replica()]) assert.equal(await log.of(whose).get('a'), 'first');
});

test('a decision that fails is none', async () => {
  const decisionLog = replicas().replica().of(whose);
  await assert.rejects(
    decisionLog.decideOnce('a', () => Promise.reject(new Error('no idea'))),
    /no idea/,
  );
  await assert.rejects(
    decisionLog.decideOnce('a', () => undefined),
    /must be a JSON value/,
  );
  assert.equal(await decisionLog.decideOnce('a', () => 'an idea'), 'an idea');
});

test('modules, accounts and conversations have decision logs of their own, which no other can read', async () => {
  const { stores, replica } = replicas();
  const decisionLogs = replica();
  await decisionLogs.of(whose).decideOnce('a', () => 'a secret');
  for (const other of [{ module: 'x' }, { scope: 'account:2' }, { root: 'roots' }])
    assert.equal(await decisionLogs.of({ ...whose, ...other }).get('a'), undefined);
  const stored = await stores.store('probe/ledger', 'account:1').list();
  assert.doesNotMatch(JSON.stringify(stored), /secret/);
});

test('what no key opens any more is decided anew', async () => {
  const { stores, replica } = replicas();
  await replica()
    .of(whose)
    .decideOnce('a', () => 'old');
  const changed = new DecisionLogs({
    stores,
    clock: systemClock,
    sealing: new Sealer([Buffer.alloc(32, 'new')]),
  });
  assert.equal(await changed.of(whose).decideOnce('a', () => 'new'), 'new');
  assert.equal(await changed.of(whose).get('a'), 'new');
});

test('conversations that were left alone are forgotten, those that go on are not', async () => {
  const clock = { ms: 0, now: () => clock.ms };
  const { stores, replica } = replicas(clock);
  const left = { ...whose, root: 'left' };
  await replica()
    .of(left)
    .decideOnce('a', () => 1);
  await replica()
    .of(whose)
    .decideOnce('a', () => 1);
  clock.ms += limits.decisionLogLifeMs * 0.75;
  await replica().of(whose).get('a');
  clock.ms += limits.decisionLogLifeMs * 0.75;
  const decisionLogs = replica();
  for (let at = 0; at < limits.decisionLogEntriesBetweenSweeps; at++)
    await decisionLogs.of({ ...whose, root: 'busy' }).decideOnce(`${at}`, () => at);
  await new Promise(setImmediate);
  assert.equal(await decisionLogs.of(whose).get('a'), 1);
  const keys = (await stores.store('probe/ledger', 'account:1').list()).map(({ key }) => key);
  assert.deepEqual(
    keys.filter((key) => key.startsWith('left')),
    [],
  );
});

test('a store that is full makes room, at the cost of what is older than a day', async () => {
  const clock = { ms: 0, now: () => clock.ms };
  const { execute, replica } = replicas(clock);
  await replica()
    .of({ ...whose, root: 'a' })
    .decideOnce('old', () => 1);
  clock.ms += 2 * limits.fullDecisionLogLifeMs;
  await execute(`update module_stores set entries = ${storageLimits.moduleEntriesMax}`);
  const decisionLog = replica().of(whose);
  assert.equal(await decisionLog.decideOnce('new', () => 2), 2);
  assert.equal(await replica().of(whose).get('new'), 2);
});
