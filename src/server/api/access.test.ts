import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityIdOf, type Role } from '../../kernel/ports/identities.ts';
import { Secret } from '../../lib/secret.ts';
import { createCloudAccess, noProjects, requireRightOf } from './access.ts';
import { SessionCookies } from './session-cookie.ts';

const identityId = identityIdOf('bob');

function accessAs(role: Role) {
  const session = { identityId, accountId: 'ada', role, tokenId: 't1', expiresAtMs: 9 };
  return createCloudAccess({
    tokens: { verify: async () => session },
    services: { verify: async () => undefined },
    keys: { findCurrent: async () => undefined, noteUse: () => undefined },
    cookies: new SessionCookies({ url: 'http://localhost' }),
    projects: noProjects,
    operator: {
      token: new Secret('the token of the operator'),
      cookies: SessionCookies.forOperator({ url: 'http://localhost' }),
    },
  });
}

const from = { method: 'GET', remoteAddress: '127.0.0.1' };
const request = { ...from, headers: ['authorization', 'Bearer token'] };

test('a session names the person, the account and the role', async () => {
  const session = await accessAs('owner').session(request);
  assert.deepEqual([session.identityId, session.accountId, session.role], [identityId, 'ada', 'owner']);
  const caller = await accessAs('owner').sessionOrKey(request);
  assert.deepEqual([caller.kind, caller.accountId], ['session', 'ada']);
});

test('a caller needs the right of the route; the user of a local gateway has all', async () => {
  const viewer = await accessAs('viewer').sessionOrKey(request);
  requireRightOf(viewer, 'keys:read');
  assert.throws(() => requireRightOf(viewer, 'keys:write'), {
    code: 'forbidden',
    message: /"keys:write".*viewer/,
  });
  const key = { kind: 'key', accountId: 'ada', keyId: 'k1', access: undefined, projectId: null } as const;
  requireRightOf(key, 'provider-keys:write');
  assert.throws(() => requireRightOf(key, 'settings:write'), { code: 'forbidden', message: /API keys/ });
  assert.throws(() => requireRightOf({ ...key, projectId: 'p1' }, 'provider-keys:write'), {
    code: 'forbidden',
    message: /API keys of a project/,
  });
  requireRightOf({ kind: 'local', accountId: 'local' }, 'ownership:write');
});

test('the operator has the token, as a bearer or in a cookie of an own page, and nobody else', async () => {
  const { operator } = accessAs('owner');
  await operator({ ...from, headers: ['authorization', 'Bearer the token of the operator'] });
  const cookie = ['cookie', `weir_operator=${encodeURIComponent('the token of the operator')}`];
  await operator({ ...from, headers: [...cookie, 'sec-fetch-site', 'same-origin'] });
  const refused = (headers: readonly string[]) => assert.rejects(operator({ ...from, headers }));
  await refused([]);
  await refused(request.headers);
  await refused([...cookie, 'sec-fetch-site', 'cross-site']);
  await refused(['cookie', 'weir_session=the%20token%20of%20the%20operator']);
});
