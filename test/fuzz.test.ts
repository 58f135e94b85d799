import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { sides } from './fuzz/cases.ts';
import { described, fuzzCalls } from './fuzz/fuzz-calls.ts';
import { fuzzAnswers, fuzzRequests } from './fuzz/fuzz-codecs.ts';
import { fuzzFiles } from './fuzz/fuzz-files.ts';
import { fuzzOwnRoutes } from './fuzz/fuzz-own-routes.ts';
import { fuzzWithAccounts } from './fuzz/people.ts';
import { Stage } from './fuzz/stage.ts';
import { billingSettings } from './support/billing-gateway.ts';
import { bearer } from './support/cloud.ts';
import { FakeStripe } from './support/fake-stripe.ts';
import { startReplicas } from './support/replicas.ts';

/** Other places each day; a failure names it, and npm run fuzz goes on from there. */
const seed = Math.floor(Date.now() / 86_400_000);
const slice = { randomCalls: 100, seed, oneIn: 21 };

test('a gateway with accounts answers anything at all with 2xx to 4xx in its one shape', async (t) => {
  // PostgreSQL is the stricter of the databases: a NUL character or a malformed id is an error to it.
  const stripe = await FakeStripe.start(t);
  const [{ url }] = await startReplicas(t, { WEIR_TIER_FREE_LIMIT: '100000', ...billingSettings(stripe) });
  await fuzzWithAccounts(url, slice);
});

test('a local gateway does too, and says 503 only where it has no accounts', async (t) => {
  const gateway = await startTestGateway();
  t.after(() => gateway.close());
  const arsenal = { ids: [randomUUID(), 'openai'], credentials: [[], bearer('x')] };
  await fuzzOwnRoutes(gateway.url, arsenal, slice);
});

for (const side of sides)
  test(`hostile ${side} leave the gateway as it was, in every pair of formats`, async (t) => {
    const stage = await Stage.start(2);
    t.after(() => stage.close());
    const { failures } = await fuzzCalls(stage, { side, seed, calls: 160 });
    assert.deepEqual(failures.map(described), [], `seed ${seed}`);
  });

for (const [what, fuzz] of Object.entries({ requests: fuzzRequests, answers: fuzzAnswers }))
  test(`${what} with one thing wrong are read and written without a fault`, () => {
    const step = 97;
    assert.deepEqual(fuzz(step, seed % step).failures, [], `seed ${seed}`);
  });

test('forged files of accounts change nothing of others, and bring nothing that a gateway would not write', async () => {
  const { files, refused, added } = await fuzzFiles({ seed, files: 16 });
  assert.ok(refused < files && added > 0, `seed ${seed}: ${refused} of ${files} refused`);
});
