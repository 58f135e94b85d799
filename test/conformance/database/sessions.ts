import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Member } from '../../../src/kernel/ports/identities.ts';
import type { MailedToken, StoredSession, VerificationContext } from '../../../src/kernel/ports/sessions.ts';
import { someKey, someMember, someSealedKey } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const most = 3;

function someSession({ identity, account }: Member, given: Partial<StoredSession> = {}): StoredSession {
  const times = { createdAtMs: 1000, usedAtMs: 1000, expiresAtMs: 9000 };
  const whose = { identityId: identity.id, accountId: account.id };
  return { id: randomUUID(), ...whose, client: 'curl', ...times, ...given };
}

function someToken({ identity }: Member, given: Partial<MailedToken> = {}): MailedToken {
  return { hash: randomUUID(), identityId: identity.id, purpose: 'reset', expiresAtMs: 9000, ...given };
}

function verificationContext(nowMs: number, sessionId?: string): VerificationContext {
  return { nowMs, sessionId, passwordHash: 'of no password' };
}

export function sessionsConformance(setUpDatabase: SetUpDatabase): void {
  describe('sessions', () => {
    test('one is found until it is ended, and the oldest beyond the most go', async (t) => {
      const { sessions, identities } = (await setUpDatabase(t)).database;
      const [member, other] = [someMember(), someMember()];
      for (const one of [member, other]) await identities.add(one);
      const begun = [1, 2, 3, 4].map((createdAtMs) => someSession(member, { createdAtMs }));
      for (const session of begun)
        assert.ok(await sessions.begin(session, member.identity.passwordHash, most));
      const [oldest, , third, newest] = begun;
      assert.ok(oldest && third && newest);
      assert.equal(await sessions.find(oldest.id), undefined);
      assert.deepEqual(await sessions.find(newest.id), { ...newest, role: 'owner' });
      assert.deepEqual(await sessions.list(member.identity.id, 8999), begun.slice(1).reverse());
      assert.deepEqual(await sessions.list(member.identity.id, 9000), []);
      assert.equal(await sessions.end(other.identity.id, newest.id), false);
      assert.equal(await sessions.end(member.identity.id, newest.id), true);
      assert.equal(await sessions.end(member.identity.id, newest.id), false);
      await sessions.touch(third.id, 5000);
      assert.equal((await sessions.find(third.id))?.usedAtMs, 5000);
      // Whose time has come goes with the next one, whoever's that is.
      assert.ok(
        await sessions.begin(someSession(other, { createdAtMs: 9000 }), other.identity.passwordHash, most),
      );
      assert.equal(await sessions.find(third.id), undefined);
    });

    test('none begins with a password that was changed meanwhile, and none of another outlives a change', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const member = someMember({ passwordHash: 'first' });
      await database.identities.add(member);
      const kept = someSession(member);
      await database.sessions.begin(kept, 'first', 100);
      const both = [database, await open()];
      const logIns = Array.from({ length: 10 }, (_, at) =>
        both[at % 2]?.sessions.begin(someSession(member), 'first', 100),
      );
      const change = { identityId: member.identity.id, before: 'first', currentSession: kept.id };
      const changes = both.map(({ identities }, at) =>
        identities.changePassword({ ...change, after: `second ${at}` }),
      );
      await Promise.all(logIns);
      assert.deepEqual((await Promise.all(changes)).toSorted(), [false, true]);
      assert.equal(await database.sessions.begin(someSession(member), 'first', 100), false);
      assert.deepEqual(await database.sessions.list(member.identity.id, 0), [kept]);
    });

    test('a closed account has none, no key that works and no new password', async (t) => {
      const { identities, members, sessions, apiKeys, mailedTokens } = (await setUpDatabase(t)).database;
      const member = someMember();
      await identities.add(member);
      await apiKeys.add(someKey(member.account.id), 100);
      await sessions.begin(someSession(member), member.identity.passwordHash, most);
      await identities.setDisabled(member.identity.id, 5000);
      assert.equal((await members.owner(member.account.id))?.identity.disabledAtMs, 5000);
      assert.deepEqual(await sessions.list(member.identity.id, 0), []);
      assert.equal(await sessions.begin(someSession(member), member.identity.passwordHash, most), false);
      const isClosed = async () => (await apiKeys.active('gw_live_abcd')).map((held) => held.isClosed);
      assert.deepEqual(await isClosed(), [true]);
      const token = someToken(member);
      await mailedTokens.add(token, { nowMs: 0, most });
      assert.equal(await mailedTokens.reset(token.hash, 'another', 1), undefined);
      await identities.setDisabled(member.identity.id, null);
      assert.deepEqual(await members.owner(member.account.id), member);
      assert.deepEqual(await isClosed(), [false]);
    });
  });

  describe('mailed tokens', () => {
    test('one does what it is for, once and in time', async (t) => {
      const { identities, mailedTokens } = (await setUpDatabase(t)).database;
      const member = someMember();
      await identities.add(member);
      const verify = someToken(member, { purpose: 'verify' });
      const late = someToken(member, { purpose: 'verify', expiresAtMs: 5000 });
      for (const token of [verify, late]) await mailedTokens.add(token, { nowMs: 0, most });
      assert.equal(await mailedTokens.has(verify.hash, 'verify', 8999), true);
      assert.equal(await mailedTokens.has(verify.hash, 'verify', 9000), false);
      assert.equal(await mailedTokens.has(verify.hash, 'reset', 1), false);
      assert.equal(await mailedTokens.reset(verify.hash, 'stolen', 1), undefined);
      assert.equal(await mailedTokens.verify(late.hash, verificationContext(5000)), undefined);
      const used = await Promise.all(
        [verify, verify].map(({ hash }) => mailedTokens.verify(hash, verificationContext(4000))),
      );
      assert.equal(used.filter((proof) => proof === undefined).length, 1);
      const verified = { ...member.identity, verifiedAtMs: 4000, passwordHash: 'of no password' };
      assert.deepEqual(await identities.byEmail(verified.email), verified);
    });

    test('of all who reset a password at once, one does, and no session and no link is left', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const member = someMember({ passwordHash: 'first' });
      await database.identities.add(member);
      await database.sessions.begin(someSession(member), 'first', most);
      const both = [database, await open()];
      const tokens = [someToken(member), someToken(member)];
      for (const token of tokens) await database.mailedTokens.add(token, { nowMs: 0, most });
      const tries = [...tokens, ...tokens].map(({ hash }, at) =>
        both[at % 2]?.mailedTokens.reset(hash, `hash ${at}`, 1),
      );
      const changes = both.map(({ identities }) =>
        identities.changePassword({
          identityId: member.identity.id,
          before: 'first',
          after: 'changed',
          currentSession: '',
        }),
      );
      const outcomes = await Promise.all(tries);
      const changed = await Promise.all(changes);
      const whose = outcomes.flatMap((proof) => proof?.accountIds ?? []);
      assert.ok(whose.filter((id) => id === member.account.id).length <= 1);
      assert.ok(changed.filter((done) => done).length <= 1);
      assert.ok(whose.includes(member.account.id) || changed.includes(true));
      assert.deepEqual(await database.sessions.list(member.identity.id, 0), []);
      for (const { hash } of tokens) assert.equal(await database.mailedTokens.has(hash, 'reset', 1), false);
    });

    test('the first use ends API keys, provider keys and sessions, also those that are being made; later ones do not', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const member = someMember({ passwordHash: 'first' });
      await database.identities.add(member);
      const session = someSession(member);
      await database.sessions.begin(session, 'first', 100);
      const shown = { kind: 'session', id: session.id } as const;
      const early = someKey(member.account.id);
      await database.apiKeys.add(early, 100, shown);
      await database.providerKeys.put(someSealedKey({ accountId: member.account.id }), {
        kind: 'key',
        id: early.id,
      });
      await database.providerKeys.add(someSealedKey({ accountId: member.account.id, id: 'key-2' }), 9, shown);
      const tokens = [someToken(member), someToken(member, { purpose: 'verify' })];
      for (const token of tokens) await database.mailedTokens.add(token, { nowMs: 0, most });
      const both = [database, await open()];
      const changes = Array.from({ length: 12 }, (_, at) => {
        const { apiKeys, providerKeys, sessions } = both[at % 2] ?? database;
        if (at % 3 === 0) return apiKeys.add(someKey(member.account.id), 100, shown);
        if (at % 3 === 1) return providerKeys.put(someSealedKey({ accountId: member.account.id }), shown);
        return sessions.begin(someSession(member), 'first', 100);
      });
      const [proofs] = await Promise.all([
        Promise.all(
          tokens.map(({ hash, purpose }, at) => {
            const { mailedTokens } = both[at % 2] ?? database;
            return purpose === 'reset'
              ? mailedTokens.reset(hash, 'second', 7)
              : mailedTokens.verify(hash, verificationContext(7));
          }),
        ),
        Promise.allSettled(changes),
      ]);
      assert.equal(proofs.filter((proof) => proof?.isTakeover).length, 1);
      const { apiKeys, providerKeys, sessions, mailedTokens } = database;
      assert.deepEqual(await apiKeys.active(early.prefix), []);
      assert.equal((await apiKeys.byId(early.id))?.revokedAtMs, 7);
      assert.deepEqual(
        [
          await providerKeys.ofProvider(member.account.id, 'openai'),
          await sessions.list(member.identity.id, 0),
        ],
        [[], []],
      );
      await assert.rejects(apiKeys.add(someKey(member.account.id), 100, shown), /was revoked or has expired/);
      await assert.rejects(providerKeys.putIfAbsent(someSealedKey({ accountId: member.account.id }), shown));

      const late = someKey(member.account.id);
      await apiKeys.add(late, 100);
      const again = [someToken(member), someToken(member, { purpose: 'verify' })] as const;
      for (const token of again) await mailedTokens.add(token, { nowMs: 0, most });
      const afresh = { accountIds: [member.account.id], isTakeover: false };
      assert.deepEqual(await mailedTokens.verify(again[1].hash, verificationContext(8)), afresh);
      assert.deepEqual(await mailedTokens.reset(again[0].hash, 'third', 8), afresh);
      assert.equal((await apiKeys.byId(late.id))?.revokedAtMs, null);
    });
  });
}
