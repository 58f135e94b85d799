import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyAccess } from '../../kernel/access-rules.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { McpServer } from '../servers/mcp-server.ts';
import { isAllowed, isUnrestricted, isVisible } from './is-allowed.ts';

const server: McpServer = {
  ...{ accountId: 'acme', name: 'github', version: '1', isEnabled: true, timeoutMs: 1000 },
  transport: { kind: 'http', url: 'https://mcp.example/mcp', authorization: 'none' },
  ...{ tools: { allow: [], deny: [] }, access: [], projects: [] },
};
const caller: McpCaller = {
  ...{ accountId: 'acme', keyId: 'key', projectId: null, access: undefined, endUser: undefined },
  ...{ personId: undefined, roles: [] },
};
const keyWith = (...tools: readonly string[]): McpCaller => ({ ...caller, access: new KeyAccess({ tools }) });
const developer: McpCaller = { ...caller, personId: 'ann', roles: ['developer'] };

test('a server without rules is for everybody in its account, and for nobody else', () => {
  assert.ok(isAllowed(caller, server, 'read') && isVisible(caller, server) && isUnrestricted(caller, server));
  const stranger = { ...caller, accountId: 'other' };
  assert.ok(!isAllowed(stranger, server, 'read') && !isVisible(stranger, server));
  assert.ok(isAllowed(stranger, { ...server, accountId: undefined }, 'read'), 'one of the instance');
  assert.ok(!isVisible(caller, { ...server, isEnabled: false }));
});

test('what a server offers, its projects and the patterns of the key all have to allow a tool', () => {
  const offering = { ...server, tools: { allow: ['read*', 'list'], deny: ['read_secret*'] } };
  const names = ['read', 'read_secret_key', 'list', 'delete'];
  const allowedOf = (who: McpCaller, of: McpServer) => names.filter((name) => isAllowed(who, of, name));
  assert.deepEqual(allowedOf(caller, offering), ['read', 'list']);
  assert.deepEqual(allowedOf(keyWith('github__l*', 'linear__*'), offering), ['list']);
  assert.deepEqual(allowedOf(keyWith(), server), []);
  assert.deepEqual(allowedOf(keyWith('*'), server), names);
  const ofProject = { ...server, projects: ['p1'] };
  assert.deepEqual(allowedOf(caller, ofProject), []);
  assert.deepEqual(allowedOf({ ...caller, projectId: 'p2' }, ofProject), []);
  assert.deepEqual(allowedOf({ ...caller, projectId: 'p1' }, ofProject), names);
});

test('rules are for keys, roles and people; they add up, and without one there is no access', () => {
  const ruled: McpServer = {
    ...server,
    access: [
      { tools: ['read*'], roles: ['developer'] },
      { tools: ['write'], people: ['ann'] },
      { tools: ['*'], keys: ['admin-key'] },
      { tools: ['ping'] },
    ],
  };
  const names = ['read', 'write', 'ping', 'delete'];
  const allowedOf = (who: McpCaller) => names.filter((name) => isAllowed(who, ruled, name));
  assert.deepEqual(allowedOf(caller), ['ping']);
  assert.deepEqual(allowedOf(developer), ['read', 'write', 'ping']);
  assert.deepEqual(allowedOf({ ...developer, personId: 'bob' }), ['read', 'ping']);
  assert.deepEqual(allowedOf({ ...caller, keyId: 'admin-key' }), names);
  assert.deepEqual(allowedOf({ ...caller, keyId: null }), ['ping']);
  assert.ok(!isUnrestricted(developer, ruled) && isUnrestricted({ ...caller, keyId: 'admin-key' }, ruled));
  const closed: McpServer = { ...server, access: [{ tools: ['*'], roles: [], people: [], keys: [] }] };
  assert.ok(!isVisible(developer, closed), 'a rule for nobody');
});

test('resources need patterns for all of a server, and a server is visible if any tool may be', () => {
  assert.ok(isUnrestricted(keyWith('github__*'), server) && isUnrestricted(keyWith('*'), server));
  assert.ok(!isUnrestricted(keyWith('github__r*'), server) && isVisible(keyWith('github__r*'), server));
  assert.ok(!isUnrestricted(keyWith('*__read'), server) && isVisible(keyWith('*__read'), server));
  assert.ok(!isVisible(keyWith('linear__*'), server) && !isVisible(keyWith('git__x'), server));
});
