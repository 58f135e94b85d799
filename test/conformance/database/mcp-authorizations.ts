import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { McpClient, McpGrant } from '../../../src/kernel/ports/mcp-authorization.ts';
import { someMcpGrant } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function mcpAuthorizationsConformance(setUpDatabase: SetUpDatabase): void {
  describe('authorizations at MCP servers', () => {
    test('one comes back byte for byte, replaced by the next', async (t) => {
      const { mcpGrants } = (await setUpDatabase(t)).database;
      const sealed = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
      const grant = someMcpGrant({ tokens: { sealedBy: 'seal-1', sealed } });
      assert.equal(await mcpGrants.put(grant), true);
      assert.deepEqual(plainGrant(await mcpGrants.find(grant)), grant);
      const next = someMcpGrant({ scope: 'écrire', wantedScope: 'admin', expiresAtMs: 9, version: '2' });
      assert.equal(await mcpGrants.put(next), true);
      assert.deepEqual(plainGrant(await mcpGrants.find(grant)), next);
      assert.equal(await mcpGrants.find({ ...grant, server: 'Files' }), undefined);
      assert.equal(await mcpGrants.find({ ...grant, personId: 'another' }), undefined);
      assert.equal(await mcpGrants.find({ ...grant, accountId: 'another' }), undefined);
    });

    test('those of a person are listed by server, and deleted one by one, by server or all', async (t) => {
      const { mcpGrants, mcpClients } = (await setUpDatabase(t)).database;
      for (const server of ['b', 'a', 'c']) await mcpGrants.put(someMcpGrant({ server }));
      await mcpGrants.put(someMcpGrant({ server: 'a', personId: 'another' }));
      const serversOf = async (personId: string) =>
        (await mcpGrants.list('local', personId)).map(({ server }) => server);
      assert.deepEqual(await serversOf('local'), ['a', 'b', 'c']);
      assert.deepEqual(
        plainGrant(await mcpGrants.delete(someMcpGrant({ server: 'b' }))),
        someMcpGrant({ server: 'b' }),
      );
      assert.equal(await mcpGrants.delete(someMcpGrant({ server: 'b' })), undefined);
      await mcpGrants.forgetServer('another', 'a');
      assert.deepEqual([await serversOf('local'), await serversOf('another')], [['a', 'c'], ['a']]);
      await mcpGrants.forgetServer('local', 'a');
      assert.deepEqual([await serversOf('local'), await serversOf('another')], [['c'], []]);
      await mcpClients.put(someClient(), 5);
      await mcpGrants.forget('another');
      assert.deepEqual([await serversOf('local'), (await mcpClients.list('local')).length], [['c'], 1]);
      await mcpGrants.forget('local');
      assert.deepEqual([await serversOf('local'), await mcpClients.list('local')], [[], []]);
    });

    test('those that another key has sealed are sealed anew, unless they have changed', async (t) => {
      const { mcpGrants, mcpClients } = (await setUpDatabase(t)).database;
      const after = { sealedBy: 'seal-2', sealed: Buffer.from('anew') };
      const [grant, other] = [someMcpGrant(), someMcpGrant({ server: 'a' })];
      for (const one of [grant, other]) await mcpGrants.put(one);
      const serversOf = async (most: number) =>
        (await mcpGrants.notSealedBy('seal-2', most)).map(({ server }) => server);
      assert.deepEqual([await serversOf(9), await serversOf(1)], [['a', 'files'], ['a']]);
      assert.equal(await mcpGrants.reseal(grant, after), true);
      assert.equal(await mcpGrants.reseal({ ...other, version: 'earlier' }, after), false);
      assert.deepEqual(await serversOf(9), ['a']);
      assert.deepEqual(plainGrant(await mcpGrants.find(grant)), { ...grant, tokens: after });
      const client = someClient({ secret: { sealedBy: 'seal-1', sealed: Buffer.from('secret') } });
      await mcpClients.put(client, 5);
      await mcpClients.put(someClient({ issuer: 'https://public.example', secret: undefined }), 5);
      const [sealed, ...none] = await mcpClients.notSealedBy('seal-2', 9);
      assert.deepEqual([sealed?.issuer, none], [client.issuer, []]);
      assert.equal(await mcpClients.reseal({ ...client, secret: after }, after), false);
      assert.equal(await mcpClients.reseal(client, after), true);
      assert.deepEqual(await mcpClients.notSealedBy('seal-2', 9), []);
    });

    test('of an account with members, only a member has one', async (t) => {
      const { database } = await setUpDatabase(t);
      const someone = { accountId: 'nobody’s', personId: 'nobody' };
      assert.equal(await database.mcpGrants.put(someMcpGrant(someone)), false);
      assert.equal(await database.mcpGrants.find(someMcpGrant(someone)), undefined);
    });

    test('of many processes one refreshes a version, until its time is over', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const grant = someMcpGrant();
      await database.mcpGrants.put(grant);
      const leases = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          both[at % 2]?.mcpGrants.lease(
            grant,
            { version: '1', holder: `h${at}` },
            { nowMs: 100, untilMs: 200 },
          ),
        ),
      );
      assert.equal(leases.filter((isHeld) => isHeld).length, 1);
      const first = { version: '1', holder: `h${leases.indexOf(true)}` };
      const second = { version: '1', holder: 'later' };
      const { mcpGrants } = database;
      assert.equal(await mcpGrants.lease(grant, second, { nowMs: 199, untilMs: 300 }), false);
      assert.equal(await mcpGrants.lease(grant, second, { nowMs: 200, untilMs: 300 }), true);
      const renewed = someMcpGrant({ version: '2', updatedAtMs: 250 });
      assert.equal(await mcpGrants.renew(renewed, first), false, 'the lease was lost');
      assert.equal(await mcpGrants.renew(renewed, second), true);
      assert.deepEqual(plainGrant(await mcpGrants.find(grant)), renewed);
      assert.equal(
        await mcpGrants.lease(grant, first, { nowMs: 500, untilMs: 600 }),
        false,
        'refreshed since',
      );
      const third = { version: '2', holder: 'third' };
      assert.equal(await mcpGrants.lease(grant, third, { nowMs: 260, untilMs: 600 }), true);
      await mcpGrants.release(grant, third);
      assert.equal(
        await mcpGrants.lease(grant, { ...third, holder: 'next' }, { nowMs: 261, untilMs: 9 }),
        true,
      );
    });

    test('a refresh keeps what the server has asked for, and brings nothing back that was deleted', async (t) => {
      const { mcpGrants } = (await setUpDatabase(t)).database;
      const grant = someMcpGrant();
      const lease = { version: '1', holder: 'one' };
      await mcpGrants.put(grant);
      await mcpGrants.lease(grant, lease, { nowMs: 1, untilMs: 9 });
      await mcpGrants.want(grant, 'admin');
      const renewed = someMcpGrant({ version: '2', createdAtMs: 77 });
      assert.equal(await mcpGrants.renew(renewed, lease), true);
      assert.deepEqual(plainGrant(await mcpGrants.find(grant)), {
        ...renewed,
        ...{ wantedScope: 'admin', createdAtMs: grant.createdAtMs },
      });
      await mcpGrants.lease(grant, { ...lease, version: '2' }, { nowMs: 1, untilMs: 9 });
      await mcpGrants.delete(grant);
      assert.equal(await mcpGrants.renew(someMcpGrant({ version: '3' }), { ...lease, version: '2' }), false);
      assert.equal(await mcpGrants.find(grant), undefined);
    });

    test('one that ended is not refreshed; one that was replaced does not end', async (t) => {
      const { mcpGrants } = (await setUpDatabase(t)).database;
      const grant = someMcpGrant({ version: '2' });
      await mcpGrants.put(grant);
      await mcpGrants.end(grant, '1', 50);
      assert.equal((await mcpGrants.find(grant))?.isEnded, false);
      await mcpGrants.end(grant, '2', 50);
      assert.deepEqual(plainGrant(await mcpGrants.find(grant)), { ...grant, isEnded: true, updatedAtMs: 50 });
      const lease = { version: '2', holder: 'one' };
      assert.equal(await mcpGrants.lease(grant, lease, { nowMs: 60, untilMs: 90 }), false);
    });

    test('the client at an issuer comes back, is replaced and deleted; an account has so many', async (t) => {
      const { mcpClients } = (await setUpDatabase(t)).database;
      const sealed = Buffer.from([0, 255]);
      const client = someClient({ secret: { sealedBy: 'seal-1', sealed } });
      const find = async () => plainClient(await mcpClients.find('local', client.issuer));
      assert.equal(await mcpClients.put(client, 2), true);
      assert.deepEqual(await find(), client);
      assert.equal(await mcpClients.put(someClient({ issuer: 'https://a.example' }), 2), true);
      assert.equal(await mcpClients.put(someClient({ issuer: 'https://c.example' }), 2), false);
      assert.equal(await mcpClients.put(someClient({ clientId: 'new' }), 2), true, 'in the place of another');
      assert.deepEqual(await find(), someClient({ clientId: 'new' }));
      assert.deepEqual(
        (await mcpClients.list('local')).map(({ issuer }) => issuer),
        ['https://a.example', client.issuer],
      );
      assert.deepEqual(await mcpClients.list('another'), []);
      assert.equal(await mcpClients.delete('another', client.issuer), false);
      assert.equal(await mcpClients.delete('local', client.issuer), true);
      assert.equal(await find(), undefined);
    });

    test('of clients that are registered at once, all processes use one', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const stored = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          both[at % 2]?.mcpClients.putIfAbsent(someClient({ clientId: `c${at}`, isDynamic: true })),
        ),
      );
      const [found] = await database.mcpClients.list('local');
      assert.deepEqual([...new Set(stored.map((client) => client?.clientId))], [found?.clientId]);
    });
  });
}

function someClient(differences: Partial<McpClient> = {}): McpClient {
  return {
    accountId: 'local',
    issuer: 'https://issuer.example',
    clientId: 'client',
    secret: undefined,
    isDynamic: false,
    updatedAtMs: 10,
    ...differences,
  };
}

/** With bytes that compare, whatever the client of the database makes of them. */
function plainGrant(grant: McpGrant | undefined): McpGrant | undefined {
  return grant && { ...grant, tokens: { ...grant.tokens, sealed: Buffer.from(grant.tokens.sealed) } };
}

function plainClient(client: McpClient | undefined): McpClient | undefined {
  if (client?.secret === undefined) return client;
  return { ...client, secret: { ...client.secret, sealed: Buffer.from(client.secret.sealed) } };
}
