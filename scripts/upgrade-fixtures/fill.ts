import assert from 'node:assert/strict';
import { Sealer } from '../../src/accounts/sealer.ts';
import { Archives } from '../../src/calls/archive/archives.ts';
import { openDatabase } from '../../src/gateway/parts/stores.ts';
import { RootSecrets } from '../../src/gateway/secrets.ts';
import { type Environment, readSettings } from '../../src/gateway/settings.ts';
import { identityIdOf } from '../../src/kernel/ports/identities.ts';
import type { Database } from '../../src/kernel/ports/records.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ModuleStoresWithCollections } from '../../src/storage/module-stores.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { someStep } from '../../test/conformance/database/request-log-samples.ts';
import {
  someCall,
  someChallenge,
  someDay,
  someLine,
  someMember,
  someRequestId,
  someSettlement,
} from '../../test/conformance/database/samples.ts';
import { call } from '../../test/support/call.ts';
import { bearer, Person, password } from '../../test/support/cloud.ts';
import { Guest } from '../../test/support/sandbox.ts';
import type { UpgradeFacts } from '../../test/support/upgrade-fixtures.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 10, 1);
const providerKey = 'sk-ant-api03-stored-before-the-upgrade';

/** Puts rows into every table: by the gateway's own routes where a later build has to use them, else through the ports. */
export async function fillDatabase(environment: Environment): Promise<UpgradeFacts> {
  const settings = readSettings(environment);
  const facts = await fillByRoutes(environment);
  const database = await openDatabase(settings);
  const scope = `account:${facts.accountId}`;
  const clock = systemClock;
  const stores = new ModuleStoresWithCollections({
    values: database.modules,
    entries: database.collections,
    sealer: new Sealer(new RootSecrets(settings).deriveKeys('archive')),
    clock,
  });
  const archives = new Archives({ stores, clock, bytesMax: 1_000_000 });
  const archived = { ref: 'ref1', conversation: 'conv1', person: null, content: ['left out'] };
  await archives.of(scope, () => null).put([{ ...archived, ttlSeconds: dayMs }]);
  await addUsage(database, facts);
  await addRequests(database, facts);
  await addContent(database, scope);
  await addPayments(database);
  await addBilling(database, facts.accountId);
  const leaving = someMember({ email: 'leaving@example.com' });
  await database.identities.add(leaving);
  const { account, identity } = leaving;
  await database.accounts.erase(
    { accountId: account.id, identityId: identity.id, passwordHash: identity.passwordHash },
    startMs + 1000 * dayMs,
  );
  await database.close();
  return facts;
}

async function fillByRoutes(environment: Environment): Promise<UpgradeFacts> {
  const weir = await startTestGateway(environment);
  const person = await Person.signUp(weir.url, 'Ada@example.com');
  const { id: keyId, key } = await person.makeKey({ name: 'a key', pipelineConfig: 'exact-cache' });
  const put = (path: string, body: object) => person.call({ method: 'PUT', path, body });
  assert.equal((await put(`/v1/keys/${keyId}/receipts`, { enabled: true })).status, 200);
  assert.equal((await put('/v1/byok/anthropic', { key: providerKey })).status, 200);
  const body = { model: 'demo-1', max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] };
  const answered = await call(weir.url, { path: '/v1/messages', headers: bearer(key), body });
  assert.equal(answered.status, 200, answered.text);
  const pattern = { trigger: { text: 'a release' }, advice: 'write the changelog first' };
  const learned = await person.call({ path: '/v1/patterns', body: pattern });
  assert.equal(learned.status, 201, learned.text);
  const guest = await Guest.begin(weir.url);
  assert.equal((await guest.ask()).status, 200);
  const claim = { path: '/api/anon/claim', headers: bearer(key), body: { session_id: guest.id } };
  assert.equal((await call(weir.url, claim)).status, 200);
  await weir.close();
  return {
    accountId: person.id,
    email: person.email,
    password,
    keyId,
    key,
    providerKey,
    receiptId: String(answered.headers['x-weir-receipt']),
    archiveRef: 'ref1',
    patternId: String(learned.json.id),
    fromMs: startMs,
    toMs: startMs + 60 * dayMs,
  };
}

async function addUsage(
  { usage, mailedTokens }: Database,
  { accountId, keyId }: UpgradeFacts,
): Promise<void> {
  const reservation = { processId: 'process', accountId, keyId: '', periodStartMs: startMs, amount: 5 };
  const trial = { conversations: 3, costNanoUsd: 4, squaredUsd: 0.5 };
  await usage.add({
    id: 'batch',
    atMs: startMs,
    days: [someDay({ accountId, keyId, day: '2026-11-02' })],
    counted: [{ accountId, periodStartMs: startMs, calls: 7 }],
    modules: [
      {
        accountId,
        calls: 6,
        day: '2026-11-02',
        module: 'ipc',
        savedNanoUsd: 1,
        spentNanoUsd: 2,
        with: trial,
        without: trial,
      },
    ],
    reserved: [{ ...reservation, of: 'calls', atMs: startMs, untilMs: startMs }],
  });
  const identityId = identityIdOf(accountId);
  const token = { hash: 'hash', identityId, purpose: 'reset', expiresAtMs: startMs } as const;
  await mailedTokens.add(token, { nowMs: 0, most: 5 });
}

async function addRequests({ requests }: Database, { accountId, keyId }: UpgradeFacts): Promise<void> {
  const logged = (atMs: number) =>
    someCall({
      id: someRequestId(atMs),
      accountId,
      keyId,
      steps: [someStep('exact-cache', 'passed'), someStep('ipc', 'changed-request', 3)],
      changes: [{ what: 'left-out', name: 'seed' }],
    });
  await requests.add([logged(startMs), logged(startMs + 1), logged(startMs + 2 * dayMs)]);
  await requests.foldMinutes({ startMs, ms: 900_000 });
  await requests.acquireCleanupLease('process', startMs, startMs);
}

async function addContent({ modules, vectors }: Database, scope: string): Promise<void> {
  await modules.store('tally', scope).put('count', { value: 12 });
  const vector = { part: '', id: 'v1', space: 's', codes: new Int8Array([1, -2, 3]), data: 'data' };
  await vectors.add(
    { module: 'semantic-cache', scope },
    { ...vector, addedAtMs: 1, expiresAtMs: startMs },
    10,
  );
}

async function addPayments({ challenges, settlements, ledger, paidAnswers }: Database): Promise<void> {
  const challenge = someChallenge();
  await challenges.add(challenge);
  await settlements.open(someSettlement({ challengeId: challenge.id, intent: 'pi_1' }));
  await ledger.add(someLine());
  const answer = { name: 'name', digest: 'sha-256=:x:', untilMs: startMs, expiresAtMs: startMs };
  await paidAnswers.claim(answer);
  await paidAnswers.storeWhole('name', { sealedBy: 'seal', sealed: new Uint8Array([1, 2, 3]) });
}

async function addBilling({ billing, credits, recharges }: Database, accountId: string): Promise<void> {
  await billing.linkCustomer(accountId, 'cus_1');
  await billing.setTier(accountId, 'pro');
  await billing.setOverage(accountId, true);
  await billing.recordEvent({ id: 'evt_1', atMs: startMs, forgetMs: 0 });
  const wanted = { enabled: true, threshold: 100_000, amount: 500_000, reason: null };
  await billing.setAutoRecharge(accountId, wanted);
  const purchase = { intentId: 'pi_2', accountId, credits: 1000, rechargeId: undefined, atMs: startMs };
  await credits.recordPurchase(purchase);
  const recharge = { id: 'rch_1', accountId, customerId: 'cus_1', method: 'pm_1', credits: 500_000 };
  const opened = await recharges.open(
    { ...recharge, atMs: startMs, untilMs: startMs },
    { sinceMs: 0, recharges: 5 },
  );
  assert.ok(opened);
  await recharges.abandon('rch_1');
}
