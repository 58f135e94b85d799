import assert from 'node:assert/strict';
import { createServer, type Server as HttpServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mergedNaming } from '../src/mcp/catalog/names.ts';
import { startScenarioServer } from './mcp/scenario-server.ts';
import { startScriptedServer } from './mcp/scripted-server.ts';
import { type EndpointOptions, serveEndpoint } from './mcp/serve-endpoint.ts';
import { eventually } from './support/eventually.ts';

async function connected(t: TestContext, options: EndpointOptions) {
  const served = await serveEndpoint(t, options);
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  t.after(() => client.close());
  return { ...served, client };
}

test('a server that hangs delays a list once, and a dead one never', async (t) => {
  const hanging = createServer(() => undefined);
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  t.after(() => hanging.closeAllConnections());
  t.after(() => hanging.close());
  const { client } = await connected(t, {
    servers: {
      dead: 'http://127.0.0.1:1/mcp',
      hanging: addressOf(hanging),
      scenarios: await startScenarioServer(t),
    },
  });
  const first = await client.listTools();
  assert.ok(first.tools.every(({ name }) => name.startsWith('scenarios__')));
  assert.deepEqual(first._meta?.['weir/unavailableServers'], ['dead', 'hanging']);
  const startedAt = performance.now();
  const second = await client.request({ method: 'tools/list' });
  assert.ok(performance.now() - startedAt < 2000, 'the second list waits for no server');
  assert.deepEqual(second.tools, first.tools);
});

test('the tools of a server that goes away stay as they were, and calls say why they fail', async (t) => {
  const scripted = await startScriptedServer(t, { tools: [{ name: 'look' }, { name: 'find' }] });
  const { client, calls } = await connected(t, { servers: { scripted: scripted.url } });
  const before = JSON.stringify((await client.listTools()).tools);
  await scripted.stop();
  const away = await eventually(async () => {
    const list = await client.request({ method: 'tools/list' });
    return list._meta?.['weir/unavailableServers'] === undefined ? undefined : list;
  });
  assert.equal(JSON.stringify(away.tools), before);
  await assert.rejects(client.callTool({ name: 'scripted__look', arguments: {} }), /scripted/);
  assert.equal(calls.at(-1)?.error !== undefined, true);
});

test('names that models can’t use are replaced, the same in every order of the list', async (t) => {
  const odd = ['a.b', 'a_b', 'x'.repeat(100), `${'x'.repeat(99)}y`, 'ö', 'look', 'look'];
  const tools = odd.map((name) => ({ name }));
  const one = await startScriptedServer(t, { tools });
  const two = await startScriptedServer(t, { tools: tools.toReversed() });
  const [first, second] = await Promise.all(
    [one, two].map(async ({ url }) => (await connected(t, { servers: { odd: url } })).client.listTools()),
  );
  const names = first?.tools.map(({ name }) => name) ?? [];
  assert.equal(names.length, 6);
  assert.ok(names.every((name) => /^[\w-]{1,64}$/.test(name) && name.startsWith('odd__')));
  assert.deepEqual(
    second?.tools.map(({ name }) => name),
    names,
  );
  assert.equal(mergedNaming.nameOf('odd', 'look'), 'odd__look');
});

test('a list has pages whose cursors hold while tools come and go', async (t) => {
  const tools = Array.from({ length: 1500 }, (_, at) => ({ name: `t${String(at).padStart(4, '0')}` }));
  const { url } = await startScriptedServer(t, { tools });
  const { client } = await connected(t, { servers: { many: url } });
  const first = await client.request({ method: 'tools/list' });
  assert.equal(first.tools.length, 1000);
  const second = await client.request({ method: 'tools/list', params: { cursor: first.nextCursor } });
  assert.equal(second.tools.length, 500);
  assert.equal(second.nextCursor, undefined);
  await assert.rejects(client.request({ method: 'tools/list', params: { cursor: 'made up' } }), /cursor/);
});

test('a caller sees and calls only the tools that it may use', async (t) => {
  const { url } = await startScriptedServer(t, {
    tools: [{ name: 'read_a' }, { name: 'read_b' }, { name: 'drop' }],
  });
  const { client } = await connected(t, {
    servers: { s: url },
    changed: { access: [{ tools: ['read_*'] }], tools: { allow: [], deny: ['read_b'] } },
  });
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ['s__read_a'],
  );
  assert.deepEqual((await client.listResources()).resources, []);
  for (const name of ['s__drop', 's__read_b', 's__none', 'other__read_a'])
    await assert.rejects(client.callTool({ name, arguments: {} }), new RegExp(`no tool "${name}"`));
});

test('a change that a server announces is in the next list, and clients that listen are told', async (t) => {
  const scripted = await startScriptedServer(t, { tools: [{ name: 'old' }] });
  const { client } = await connected(t, { servers: { s: scripted.url } });
  await client.listTools();
  const told = Promise.withResolvers<void>();
  client.setNotificationHandler('notifications/tools/list_changed', () => told.resolve());
  const subscription = await client.listen({ toolsListChanged: true });
  t.after(() => subscription.close());
  await eventually(async () => (scripted.listeners > 0 ? true : undefined));
  scripted.change([{ name: 'new' }]);
  await told.promise;
  const { tools } = await client.request({ method: 'tools/list' });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['s__new'],
  );
});

test('resources of two servers with the same address are two, also where results name them', async (t) => {
  const scenarios = await startScenarioServer(t);
  const { client } = await connected(t, { servers: { one: scenarios, two: scenarios } });
  const { resources } = await client.listResources();
  assert.ok(resources.some(({ uri }) => uri === 'mcp-two+test://static-text'));
  const { contents } = await client.readResource({ uri: 'mcp-two+test://static-text' });
  assert.equal(contents[0]?.uri, 'mcp-two+test://static-text');
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates[0]?.uriTemplate, 'mcp-one+test://template/{id}/data');
  const embedded = await client.callTool({ name: 'one__test_embedded_resource', arguments: {} });
  const [block] = embedded.content;
  assert.equal(block?.type === 'resource' && block.resource.uri, 'mcp-one+test://embedded-resource');
  await assert.rejects(client.readResource({ uri: 'test://static-text' }), /no resource/);
});

function addressOf(server: HttpServer): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/mcp` : '';
}
