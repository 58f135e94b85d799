import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startScenarioServer } from './mcp/scenario-server.ts';
import { serveEndpoint } from './mcp/serve-endpoint.ts';

test('the official clients of both eras list and call the tools of two servers', async (t) => {
  const scenarios = await startScenarioServer(t);
  const { url, calls } = await serveEndpoint(t, { servers: { one: scenarios, two: scenarios } });

  const modern = new Client({ name: 'modern', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await modern.connect(new StreamableHTTPClientTransport(new URL(url)));
  t.after(() => modern.close());
  const { tools } = await modern.listTools();
  assert.ok(tools.some(({ name }) => name === 'one__test_simple_text'));
  const names = tools.map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
  const result = await modern.callTool({ name: 'two__test_simple_text', arguments: {} });
  assert.deepEqual(result.content, [{ type: 'text', text: 'This is a simple text response for testing.' }]);

  const withSession = new SessionClient({ name: 'older', version: '1' });
  await withSession.connect(new SessionTransport(new URL(url)) as never);
  t.after(() => withSession.close());
  assert.deepEqual(
    (await withSession.listTools()).tools.map(({ name }) => name),
    names,
  );
  const same = await withSession.callTool({ name: 'two__test_simple_text', arguments: {} });
  assert.deepEqual(same.content, result.content);
  assert.deepEqual(
    calls.map(({ name, server }) => [name, server?.name]),
    [
      ['two__test_simple_text', 'two'],
      ['two__test_simple_text', 'two'],
    ],
  );
});
