import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { identityIdOf } from '../../../src/kernel/ports/identities.ts';
import type { Database } from '../../../src/kernel/ports/records.ts';
import type { SignOn } from '../../../src/kernel/ports/sign-on.ts';
import { someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const usersMax = 100;

export function newPeopleConformance(setUpDatabase: SetUpDatabase): void {
  describe('people whom organizations add', () => {
    test('are one person each, also if they are added by several ways at once', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const others = [await open(), await open()] as const;
      const [one, two] = [await someOrganization(database), await someOrganization(database)];
      for (let at = 0; at < 10; at++) {
        const email = `new${at}@example.com`;
        const signOn = ({ signOnAdmissions }: Database, { accountId, issuer }: typeof one) =>
          signOnAdmissions.admit({
            ...{
              accountId,
              issuer,
              subject: email,
              email,
              role: 'developer',
              followsGroups: false,
              nowMs: 5,
            },
            ...{ newId: identityIdOf(randomUUID()), membersMax: 100, membershipsMax: 100 },
          });
        const user = {
          ...{ id: randomUUID(), accountId: two.accountId, userName: email, externalId: null, email },
          ...{ isActive: true, displayName: null, name: {}, createdAtMs: 5, updatedAtMs: 5 },
        };
        const [first, provisioned] = await Promise.all([
          signOn(others[0], one),
          others[1].scimUsers.add(user, { usersMax }),
          database.identities.add(someMember({ email, verifiedAtMs: 5 })),
        ]);
        assert.equal(first.outcome, 'admitted');
        assert.ok(typeof provisioned === 'object');
        const person = await database.identities.byEmail(email);
        assert.ok(first.outcome === 'admitted' && first.person.identityId === person?.id);
        assert.deepEqual(
          provisioned.effects.members.map(({ identityId }) => identityId),
          [person.id],
        );
        const again = await signOn(database, two);
        assert.ok(again.outcome === 'admitted' && again.person.identityId === person.id);
      }
    });
  });
}

/** With sign-on that gives everybody a role. */
async function someOrganization({ identities, signOns }: Database) {
  const member = someMember();
  assert.ok(await identities.add(member));
  const { id: accountId } = member.account;
  const issuer = `https://${accountId}.example.com`;
  const signOn: SignOn = {
    ...{ accountId, issuer, clientId: 'weir', secret: undefined, groupsClaim: undefined, groupRoles: [] },
    ...{ isEnforced: false, breakGlass: undefined, updatedAtMs: 1 },
    defaultRole: 'developer',
  };
  assert.equal(await signOns.put(signOn, undefined), 'stored');
  return { accountId, issuer };
}
