import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { Challenges } from '../kernel/ports/payments.ts';
import { Secret } from '../lib/secret.ts';
import { openEmptyDatabase } from '../testing/empty-database.ts';
import { ChallengeIssuer } from './challenge-issuer.ts';
import { limits } from './limits.ts';

const digest = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';

interface Office {
  readonly desk: ChallengeIssuer;
  readonly clock: ManualClock;
  readonly challenges: Challenges;
  readonly faults: unknown[];
}

async function startOffice(t: TestContext, tidy?: Challenges['tidy']): Promise<Office> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-payments-'));
  const database = await openEmptyDatabase(folder);
  t.after(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const clock = new ManualClock();
  const { challenges } = database;
  const faults: unknown[] = [];
  const desk = new ChallengeIssuer({
    challenges: {
      add: (challenge) => challenges.add(challenge),
      find: (id) => challenges.find(id),
      consume: (id, nowMs) => challenges.consume(id, nowMs),
      tidy: tidy ?? ((bounds) => challenges.tidy(bounds)),
    },
    attempts: { count: async () => 0, forget: async () => undefined },
    clock,
    payee: { recipient: 'acct_1', networkId: 'profile_1' },
    realm: () => 'weir.example',
    onFault: (cause) => faults.push(cause),
  });
  return { desk, clock, challenges, faults };
}

function shown(challengeId: string) {
  return { challengeId, token: new Secret('spt_1'), echoedChallenge: undefined };
}

test('a challenge lasts for five minutes and not a moment longer', async (t) => {
  const { desk, clock } = await startOffice(t);
  const { challenge } = await desk.issue(digest, '127.0.0.1');
  clock.move(limits.challengeLifeMs - 1);
  assert.deepEqual(await desk.find(shown(challenge.id), digest), challenge);
  clock.move(1);
  assert.equal(await desk.find(shown(challenge.id), digest), undefined);
});

test('one that was paid with is found no more', async (t) => {
  const { desk, clock, challenges } = await startOffice(t);
  const { challenge } = await desk.issue(digest, '127.0.0.1');
  assert.equal(await challenges.consume(challenge.id, clock.now()), 1);
  assert.equal(await desk.find(shown(challenge.id), digest), undefined);
});

test('those whose time is over are forgotten when others are issued', async (t) => {
  const { desk, clock, challenges } = await startOffice(t);
  const { challenge } = await desk.issue(digest, '127.0.0.1');
  await desk.whenCleanedUp();
  clock.move(limits.challengeLifeMs);
  const { challenge: next } = await desk.issue(digest, '127.0.0.1');
  await desk.whenCleanedUp();
  assert.equal(await challenges.find(challenge.id), undefined);
  assert.deepEqual(await challenges.find(next.id), next);
});

test('it is looked for too many of them after every so many', async (t) => {
  const bounds: Parameters<Challenges['tidy']>[0][] = [];
  const { desk } = await startOffice(t, async (given) => void bounds.push(given));
  for (let at = 0; at <= limits.challengesBetweenTidying; at++) {
    await desk.issue(digest, '127.0.0.1');
    await desk.whenCleanedUp();
  }
  assert.deepEqual(
    bounds.map(({ most }) => most),
    [limits.challengesKept, limits.challengesKept],
  );
});

test('a challenge is issued even if old ones can’t be deleted', async (t) => {
  const fault = new Error('the disk is full');
  const { desk, faults } = await startOffice(t, () => Promise.reject(fault));
  const { challenge } = await desk.issue(digest, '127.0.0.1');
  await desk.whenCleanedUp();
  assert.deepEqual(await desk.find(shown(challenge.id), digest), challenge);
  assert.deepEqual(faults, [fault]);
});
