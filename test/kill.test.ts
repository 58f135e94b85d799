import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Environment } from '../src/gateway/settings.ts';
import { killTrial } from './support/kill-trial.ts';
import { replicaSettings } from './support/replicas.ts';
import { usageTrial } from './support/usage-trial.ts';
import { emptyFolder } from './support/weir-process.ts';

/** A few in every run; `npm run test:kill` has more. */
const kills = Number(process.env.KILLS ?? 2);
const usageKills = Number(process.env.KILLS ?? 1);
const callsBetween = 100;
const limit = (kills + 2) * callsBetween;
const ceilingUsd = limit / 10_000;

/** Of the calls that clients got, those that a kill may take from the log of one machine. Few kills say little. */
const missingShareMax = kills < 20 ? 0.03 : 0.01;

interface SetUp {
  readonly replicas: number;
  environment(t: TestContext): Environment | Promise<Environment>;
}

const setUps: Readonly<Record<string, SetUp>> = {
  'one process': { replicas: 1, environment: (t) => ({ WEIR_DATA_DIR: emptyFolder(t) }) },
  'several processes': {
    replicas: 1,
    environment: (t) => ({ WEIR_DATA_DIR: emptyFolder(t), WEIR_WORKERS: '2' }),
  },
  'replicas whose Redis is emptied': {
    replicas: 2,
    environment: async (t) => ({ ...(await replicaSettings(t)), WEIR_DATA_DIR: emptyFolder(t) }),
  },
};

for (const [name, { replicas, environment }] of Object.entries(setUps))
  test(`no cap and no ceiling is passed, however often it is killed: ${name}`, async (t) => {
    const trial = { environment: await environment(t), replicas, kills, callsBetween, limit, ceilingUsd };
    const { answered, made, spentUsd, logged, refusals } = await killTrial(t, trial);
    t.diagnostic(
      `${kills} kills: ${answered} calls answered and ${made} made of ${limit}, ${spentUsd.toFixed(4)} USD spent of ${ceilingUsd.toFixed(4)}, ${logged.missing} of ${logged.of} not in the request log`,
    );
    assert.ok(made <= limit, `${made} calls of ${limit}`);
    assert.ok(spentUsd <= ceilingUsd, `${spentUsd} USD of ${ceilingUsd}`);
    assert.deepEqual(refusals, ['tier_cap_reached', 'cost_ceiling_exceeded']);
    assert.ok(
      logged.missing <= (replicas > 1 ? 0 : logged.of * missingShareMax),
      `${logged.missing} of ${logged.of} not logged`,
    );
    assert.ok(made >= limit / 2 && spentUsd >= ceilingUsd / 4, 'a kill costs little of what is left');
  });

const usageSetUps: Readonly<Record<string, SetUp & { readonly victim: 'gateway' | 'worker' }>> = {
  'one process': { ...setUpNamed('one process'), victim: 'gateway' },
  'a primary with its workers': { ...setUpNamed('several processes'), victim: 'gateway' },
  'one of several workers': { ...setUpNamed('several processes'), victim: 'worker' },
  'one of two replicas on PostgreSQL': {
    ...setUpNamed('replicas whose Redis is emptied'),
    victim: 'gateway',
  },
};

for (const [name, { replicas, environment, victim }] of Object.entries(usageSetUps))
  test(`usage reports are exact, however often it is killed: ${name}`, async (t) => {
    const trial = { environment: await environment(t), replicas, kills: usageKills, victim };
    const { answered, reported, quotaUsed, lostReservationsMax, filesLeft } = await usageTrial(t, trial);
    t.diagnostic(
      `${usageKills} kills: ${answered.calls} calls answered, ${reported.calls} reported, ${quotaUsed} of the quota used`,
    );
    assert.deepEqual(reported, answered);
    const lostReservations = quotaUsed - answered.calls;
    assert.ok(lostReservations >= 0 && lostReservations <= lostReservationsMax, String(lostReservations));
    assert.deepEqual(filesLeft, []);
  });

function setUpNamed(name: string): SetUp {
  const setUp = setUps[name];
  assert.ok(setUp);
  return setUp;
}
