import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityIdOf, type Role } from '../../kernel/ports/identities.ts';
import { createCloudAccess } from './access.ts';
import { SessionCookies } from './session-cookie.ts';

const identityId = identityIdOf('bob');

function accessAs(role: Role) {
  const session = { identityId, accountId: 'ada', role, tokenId: 't1', expiresAtMs: 9 };
  return createCloudAccess({
    tokens: { verify: async () => session },
    keys: { findCurrent: async () => undefined, noteUse: () => undefined },
    cookies: new SessionCookies({ url: 'http://localhost' }),
  });
}

const request = { headers: ['authorization', 'Bearer token'], method: 'GET' };

test('a session names the person, the account and the role', async () => {
  const session = await accessAs('owner').session(request);
  assert.deepEqual([session.identityId, session.accountId, session.role], [identityId, 'ada', 'owner']);
  const caller = await accessAs('owner').sessionOrKey(request);
  assert.deepEqual([caller.kind, caller.accountId], ['session', 'ada']);
});

test('other roles have no access', async () => {
  for (const role of ['admin', 'member', 'viewer'] as const) {
    const access = accessAs(role);
    await assert.rejects(access.session(request), { code: 'forbidden' });
    await assert.rejects(access.sessionOrKey(request), { code: 'forbidden' });
  }
});
