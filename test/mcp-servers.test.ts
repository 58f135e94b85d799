import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { startSessionServer, startStatelessServer } from './support/mcp-servers.ts';

const program = join(import.meta.dirname, 'support', 'mcp-program.js');
const originOf = (url: string) => new URL(url).origin;

describe('the MCP server of an account', () => {
  for (const [stores, start] of Object.entries(gatewaysOnStores))
    test(`is in use at once on all replicas, and seen by nobody else, with ${stores}`, async (t) => {
      const [red, blue] = [await startStatelessServer(t), await startSessionServer(t)];
      const allowed = [red, blue].map(({ url }) => `mcp=${originOf(url)}`).join(',');
      const [url, other] = await start(t, { WEIR_EGRESS_ALLOW: allowed });
      const [ann, ben] = [await Person.signUp(url), await Person.signUp(url)];
      const body = { url: red.url, headers: { 'X-Team': 'of ann' }, tools: { deny: ['slow'] } };
      const put = await ann.call({ method: 'PUT', path: '/v1/mcp/servers/acme', body });
      assert.equal(put.status, 200, put.text);
      assert.equal(put.text.includes('of ann'), false);
      assert.deepEqual(
        [put.json.kind, put.json.headers, put.json.authorization],
        ['http', ['X-Team'], 'headers'],
      );
      for (const address of [url, other]) {
        const seen = await call(address, { path: '/v1/mcp/servers', headers: bearer(ann.token) });
        assert.deepEqual(
          [at(seen.json, 'servers', 0, 'name'), at(seen.json, 'servers', 0, 'url')],
          ['acme', red.url],
        );
        const path = '/v1/mcp/servers/acme/test';
        const tested = await call(address, { method: 'POST', path, headers: bearer(ann.token) });
        assert.deepEqual([tested.json.ok, tested.json.era], [true, 'stateless'], tested.text);
        assert.deepEqual(tested.json.tools, ['weather', 'slow', 'ask']);
        assert.equal(red.requests.at(-1)?.headers['x-team'], 'of ann');
      }
      assert.equal((await ben.call({ path: '/v1/mcp/servers/acme' })).status, 404);
      assert.deepEqual((await ben.call({ path: '/v1/mcp/servers' })).json.servers, []);
      // The secret is for the former address, and goes nowhere else.
      const moved = { url: blue.url, headers: { 'X-Team': null } };
      const refused = await ann.call({ method: 'PUT', path: '/v1/mcp/servers/acme', body: moved });
      assert.deepEqual([refused.status, at(refused.json, 'error', 'code')], [400, 'invalid_request']);
      await ann.call({ method: 'PUT', path: '/v1/mcp/servers/acme', body: { url: blue.url } });
      const again = await call(other, {
        method: 'POST',
        path: '/v1/mcp/servers/acme/test',
        headers: bearer(ann.token),
      });
      assert.deepEqual([again.json.ok, again.json.era], [true, 'sessions'], again.text);
      assert.equal(blue.requests.at(-1)?.headers['x-team'], undefined);
      const health = (await ann.call({ path: '/v1/mcp/servers/acme' })).json.health;
      assert.equal(typeof at(health, 'list_digest') === 'string' || url !== other, true);
      const events = await ann.call({ path: '/v1/audit' });
      assert.match(events.text, /mcp_server\.stored/);
      assert.equal(events.text.includes('of ann'), false);
      assert.equal((await ann.call({ method: 'DELETE', path: '/v1/mcp/servers/acme' })).status, 204);
      const gone = await call(other, { path: '/v1/mcp/servers/acme', headers: bearer(ann.token) });
      assert.equal(gone.status, 404);
    });

  test('is public in cloud mode, is no program, and has what its kind has', async (t) => {
    const { url } = await startCloud(t);
    const ann = await Person.signUp(url);
    const put = (body: object, name = 'acme') =>
      ann.call({ method: 'PUT', path: `/v1/mcp/servers/${name}`, body });
    const refused: readonly (readonly [object, number, RegExp])[] = [
      [{ url: 'http://acme.example/mcp' }, 403, /https/],
      [{ url: 'https://127.0.0.1/mcp' }, 403, /public/],
      [{ url: 'https://metadata.internal/mcp' }, 403, /public host/],
      [{ command: 'node' }, 403, /programs/],
      [{}, 400, /url/],
      [{ url: 'https://acme.example', command: 'node' }, 400, /one of them/],
      [{ url: 'https://acme.example', headers: { host: 'other' } }, 400, /headers\.host/],
      [{ url: 'https://acme.example', headers: { 'x-a': 'line\nbreak' } }, 400, /headers\.x-a/],
      [{ url: 'https://acme.example', env: { A: 'b' } }, 400, /env/],
      [{ url: 'https://acme.example', timeout_ms: 1 }, 400, /timeout_ms/],
      [{ url: 'https://acme.example', unknown: 1 }, 400, /unknown/],
    ];
    for (const [body, status, what] of refused) {
      const answer = await put(body);
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, what);
    }
    assert.equal((await put({ url: 'https://acme.example' }, 'Two__Parts')).status, 400);
    assert.equal((await put({ url: 'https://acme.example' })).status, 200);
    const key = (await ann.makeKey()).key;
    const path = '/v1/mcp/servers/acme';
    assert.equal((await call(url, { path, headers: bearer(key) })).status, 200);
    const byKey = {
      method: 'PUT',
      path,
      headers: bearer(key),
      body: { url: 'https://other.example' },
    } as const;
    assert.equal((await call(url, byKey)).status, 403);
    assert.equal((await call(url, { path })).status, 401);
  });
});

describe('on a machine of one’s own', () => {
  test('programs are used, tested, and imported from the format of the registry', async (t) => {
    const { url, close } = await startTestGateway();
    t.after(close);
    const body = { command: process.execPath, args: [program], env: { TOKEN: 'secret' } };
    const put = await call(url, { method: 'PUT', path: '/v1/mcp/servers/local', body });
    assert.deepEqual([put.status, put.json.kind, put.json.env], [200, 'program', ['TOKEN']], put.text);
    assert.equal(put.text.includes('secret'), false);
    const tested = await call(url, { method: 'POST', path: '/v1/mcp/servers/local/test' });
    assert.deepEqual([tested.json.ok, tested.json.server_name], [true, 'program'], tested.text);
    const broken = { command: process.execPath, args: [program, 'fails'] };
    await call(url, { method: 'PUT', path: '/v1/mcp/servers/broken', body: broken });
    const failed = await call(url, { method: 'POST', path: '/v1/mcp/servers/broken/test' });
    assert.equal(failed.json.ok, false);
    assert.match(String(failed.json.detail), /the token is missing/);
    const health = (await call(url, { path: '/v1/mcp/servers/broken' })).json.health;
    assert.equal(at(health, 'status'), 'failing');
    const registry = {
      name: 'io.github.acme/Weather-MCP',
      description: 'Weather',
      packages: [
        {
          registryType: 'npm',
          identifier: '@acme/weather',
          version: '1.2.3',
          transport: { type: 'stdio' },
          environmentVariables: [{ name: 'API_KEY', isRequired: true, isSecret: true }],
          packageArguments: [{ type: 'named', name: '--units', value: '{units}' }],
        },
      ],
    };
    const incomplete = await call(url, { method: 'POST', path: '/v1/mcp/servers', body: { registry } });
    assert.match(incomplete.text, /values\.units/);
    const values = { units: 'metric', API_KEY: 'k' };
    const imported = await call(url, { method: 'POST', path: '/v1/mcp/servers', body: { registry, values } });
    assert.equal(imported.status, 200, imported.text);
    const { name, command, args, env } = imported.json;
    assert.deepEqual([name, command, env], ['weather-mcp', 'npx', ['API_KEY']]);
    assert.deepEqual(args, ['-y', '@acme/weather@1.2.3', '--units', 'metric']);
  });

  test('servers of the operator are listed, and can’t be changed', async (t) => {
    const server = await startStatelessServer(t);
    const servers = {
      house: { url: server.url, headers: { 'x-house': 'secret' } },
      off: { command: 'x', enabled: false },
    };
    const { url, close } = await startTestGateway({ WEIR_MCP_SERVERS: JSON.stringify(servers) });
    t.after(close);
    const { json, text } = await call(url, { path: '/v1/mcp/servers' });
    assert.deepEqual([at(json, 'servers', 0, 'name'), at(json, 'servers', 0, 'operator')], ['house', true]);
    assert.equal(text.includes('secret'), false);
    const tested = await call(url, { method: 'POST', path: '/v1/mcp/servers/house/test' });
    assert.equal(tested.json.ok, true, tested.text);
    assert.equal(server.requests.at(-1)?.headers['x-house'], 'secret');
    assert.equal((await call(url, { method: 'DELETE', path: '/v1/mcp/servers/house' })).status, 404);
    const metrics = await call(url, { path: '/metrics' });
    assert.match(metrics.text, /weir_mcp_server_up\{server="house"\} 1/);
    assert.match(metrics.text, /weir_mcp_server_tools\{server="house"\} 3/);
    const checks = await call(url, { path: '/v1/diagnostics' });
    assert.match(checks.text, /2 listed, 1 used since the start/);
  });

  test('an airgapped gateway connects to servers of the operator, and to no others', async (t) => {
    const server = await startStatelessServer(t);
    const listed = JSON.stringify({
      house: { url: server.url },
      tool: { command: process.execPath, args: [program] },
    });
    const { url, close } = await startTestGateway({ WEIR_MCP_SERVERS: listed, WEIR_AIRGAP: 'on' });
    t.after(close);
    const house = await call(url, { method: 'POST', path: '/v1/mcp/servers/house/test' });
    assert.equal(house.json.ok, true, house.text);
    const tool = await call(url, { method: 'POST', path: '/v1/mcp/servers/tool/test' });
    assert.match(tool.text, /WEIR_AIRGAP/);
    const put = await call(url, { method: 'PUT', path: '/v1/mcp/servers/mine', body: { url: server.url } });
    assert.match(put.text, /WEIR_AIRGAP/);
  });

  test('wrong settings of the operator stop the start, and say where', async () => {
    const wrong = {
      'Bad Name': { url: 'https://a.example' },
      two: { url: 'https://a.example', command: 'x' },
    };
    await assert.rejects(startTestGateway({ WEIR_MCP_SERVERS: JSON.stringify(wrong) }), /WEIR_MCP_SERVERS/);
    await assert.rejects(startTestGateway({ WEIR_MCP_SERVERS: '/no/such/file' }), /WEIR_MCP_SERVERS/);
  });
});
