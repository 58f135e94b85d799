import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { someCall, someDay, someKey, someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function textConformance(setUpDatabase: SetUpDatabase): void {
  describe('text', () => {
    test('whatever looks like SQL is text', async (t) => {
      const { database } = await setUpDatabase(t);
      const member = someMember({ email: `'; drop table users; --@example.com` });
      await database.identities.add(member);
      assert.deepEqual(await database.identities.byEmail(member.identity.email), member.identity);
      assert.equal(await database.identities.byEmail(`' or '1'='1`), undefined);
      const key = someKey(member.account.id, {
        name: `$1 ? :name @p "quoted" 'x' \\ %_ ${'🌊'.repeat(100)}`,
      });
      await database.apiKeys.add(key, 100);
      assert.deepEqual(await database.apiKeys.list(member.account.id), [key]);
    });

    test('a megabyte of text comes back as it was', async (t) => {
      const { database } = await setUpDatabase(t);
      const member = someMember();
      await database.identities.add(member);
      const key = someKey(member.account.id, { pipelineConfig: 'ä'.repeat(500_000) });
      await database.apiKeys.add(key, 100);
      assert.deepEqual(await database.apiKeys.list(member.account.id), [key]);
    });

    test('text that is no text is stored or refused, and what follows goes on', async (t) => {
      const { database } = await setUpDatabase(t);
      for (const name of ['\0', 'a\0b', '\ud800', 'a\udfffb', '\ufffe', '\u202e']) {
        const member = someMember({ email: name });
        const tries = await Promise.allSettled([
          database.identities.add(member),
          database.identities.byEmail(name),
          database.accounts.byId(name),
          database.apiKeys.active(name),
          database.apiKeys.add(someKey(member.account.id, { name }), 100),
          database.apiKeys.change(member.account.id, name, { name }),
          database.apiKeys.touch(new Map([[name, 1]])),
          database.providerKeys.ofProvider(name, name),
          database.usage.add({ id: name, atMs: 1, days: [someDay({ model: name })], counted: [] }),
          database.sessions.find(name),
          database.requests.add([someCall({ modelAsked: name })]),
          database.requests.find(name, name),
        ]);
        for (const outcome of tries)
          if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Error);
        await database.ping();
      }
      assert.equal(await database.identities.add(someMember()), true);
    });
  });
}
