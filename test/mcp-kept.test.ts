import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadAll } from '../src/process/load-settings.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { startStatelessServer } from './support/mcp-servers.ts';
import { createOrganization } from './support/organizations.ts';
import { makeProject } from './support/projects.ts';
import { emptyFolder } from './support/weir-process.ts';

/** The tools that a key sees, or the status of HTTP. */
async function toolsOf(url: string, key: string | undefined, path = '/mcp') {
  const { status, json } = await call(url, {
    path,
    headers: [
      ...(key === undefined ? [] : bearer(key)),
      ...['mcp-protocol-version', '2026-07-28', 'mcp-method', 'tools/list'],
    ],
    body: {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  });
  if (status !== 200) return status;
  const tools = at(json, 'result', 'tools');
  assert.ok(Array.isArray(tools), JSON.stringify(json));
  return tools.map(({ name }) => String(name));
}

const acmeTools = ['acme__ask', 'acme__slow', 'acme__weather'];

test('an MCP server moves with its account, with its secrets where there is a passphrase', async (t) => {
  const server = await startStatelessServer(t);
  const { url } = await startCloud(t, { WEIR_EGRESS_ALLOW: `mcp=${new URL(server.url).origin}` });
  const [ann, ben, cem] = [await Person.signUp(url), await Person.signUp(url), await Person.signUp(url)];
  const body = { url: server.url, headers: { 'x-team': 'of ann' }, tools: { deny: ['slow'] } };
  const stored = await ann.call({ method: 'PUT', path: '/v1/mcp/servers/acme', body });
  assert.equal(stored.status, 200, stored.text);
  const words = ['x-weir-passphrase', 'a passphrase of some length'];
  const { bytes: whole } = await ann.call({ path: '/v1/export?secrets=1', headers: words });
  const { bytes: bare } = await ann.call({ path: '/v1/export' });
  const outcomes = [
    { person: ben, headers: words, body: whole, secret: 'of ann' },
    { person: cem, headers: [], body: bare, secret: undefined },
  ];
  for (const { person, headers, body: file, secret } of outcomes) {
    const imported = await person.call({ path: '/v1/import', headers, body: file });
    assert.equal(imported.status, 200, imported.text);
    const { json } = await person.call({ path: '/v1/mcp/servers/acme' });
    assert.deepEqual([json.url, at(json, 'tools', 'deny')], [server.url, ['slow']]);
    const { key } = await person.makeKey();
    assert.deepEqual(await toolsOf(url, key), ['acme__ask', 'acme__weather']);
    assert.equal(server.requests.at(-1)?.headers['x-team'], secret);
  }
});

test('a server of two projects is seen by their keys, and by no others', async (t) => {
  const server = await startStatelessServer(t);
  const { url } = await startCloud(t, { WEIR_EGRESS_ALLOW: `mcp=${new URL(server.url).origin}` });
  const owner = await createOrganization(await Person.signUp(url));
  const [red, blue, green] = [
    await makeProject(owner, 'red'),
    await makeProject(owner, 'blue'),
    await makeProject(owner, 'green'),
  ];
  const put = await owner.call({
    ...{ method: 'PUT', path: '/v1/mcp/servers/acme' },
    body: { url: server.url, projects: [red, blue] },
  });
  assert.equal(put.status, 200, put.text);
  const keyIn = async (projectId?: string) => {
    const made = await owner.call({ path: '/v1/keys', body: projectId === undefined ? {} : { projectId } });
    return String(made.json.key);
  };
  const inRed = await keyIn(red);
  assert.deepEqual(await toolsOf(url, inRed), acmeTools);
  assert.deepEqual(await toolsOf(url, inRed, `/mcp/${red}`), acmeTools);
  assert.equal(await toolsOf(url, inRed, `/mcp/${blue}`), 404);
  assert.deepEqual(await toolsOf(url, await keyIn(blue)), acmeTools);
  const outside = await keyIn();
  for (const key of [await keyIn(green), outside]) assert.deepEqual(await toolsOf(url, key), []);
  const { json } = await call(url, { path: '/v1/mcp/servers', headers: bearer(outside) });
  assert.deepEqual(json.servers, []);
});

test('servers in weir.yaml come, change and go with a reload', async (t) => {
  const server = await startStatelessServer(t);
  const file = join(emptyFolder(t), 'weir.yaml');
  const environment = { WEIR_DATA_DIR: emptyFolder(t), PORT: '0', WEIR_DASHBOARD: 'off' };
  const { url, gateway, close } = await startTestGateway(environment);
  cleanUp(t, close);
  const reload = async (text: string) => {
    writeFileSync(file, text);
    await gateway.reload((await loadAll(environment, { file })).settings);
  };
  assert.deepEqual(await toolsOf(url, undefined), []);
  await reload(`mcp_servers: {acme: {url: "${server.url}", headers: {x-team: first}}}`);
  assert.deepEqual(await toolsOf(url, undefined), acmeTools);
  assert.equal(server.requests.at(-1)?.headers['x-team'], 'first');
  await reload(
    `mcp_servers: {acme: {url: "${server.url}", headers: {x-team: second}, tools: {allow: [ask]}}}`,
  );
  assert.deepEqual(await toolsOf(url, undefined), ['acme__ask']);
  assert.equal(server.requests.at(-1)?.headers['x-team'], 'second');
  await reload('log: {level: warn}');
  assert.deepEqual(await toolsOf(url, undefined), []);
});
