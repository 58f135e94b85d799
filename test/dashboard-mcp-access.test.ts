import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, startCloud } from './support/cloud.ts';
import { logIn } from './support/log-in.ts';
import { startRpcServer, startStatelessServer } from './support/mcp-servers.ts';
import { addMember, createOrganization, type MemberSession } from './support/organizations.ts';
import { makeProject } from './support/projects.ts';
import { ScriptedAuthority } from './support/scripted-authority.ts';

const open = sharedBrowser();
const pictures = process.env.TEST_PICTURES;

test('access to servers in an organization: people authorize, an owner sets rules, calls are in the log', async (t) => {
  const [weather, authority] = [await startStatelessServer(t), await ScriptedAuthority.start(t)];
  authority.handlers.set('/authorize', ({ url = '' }, response) => {
    response.writeHead(302, { location: authority.agree(authority.url + url).href }).end();
  });
  const notes = await startNotes(t, authority);
  const allowed = [weather.url, notes, authority.url].map((url) => `mcp=${new URL(url).origin}`);
  const { url } = await startCloud(t, { WEIR_EGRESS_ALLOW: allowed.join() });
  const acme = await createOrganization(await Person.signUp(url, 'ada@example.com'));
  const viewer = await addMember(acme, 'viewer', await Person.signUp(url, 'vera@example.com'));
  const project = await makeProject(acme, 'Search');
  const made = await acme.call({ path: '/v1/keys', body: { name: 'bot' } });
  await store(acme, 'weather', { url: weather.url });
  await store(acme, 'notes', { url: notes, authorization: 'person' });

  await t.test('a viewer on a phone authorizes the gateway, and changes nothing', async () => {
    const { page, assertQuiet, close } = await open({
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    cleanUp(t, close);
    await logIn(page, viewer, '/mcp-servers');
    await page.getByText('You see none of its tools yet').waitFor();
    await page.getByText('not authorized', { exact: true }).waitFor();
    for (const name of ['Add a server', 'Edit notes', 'Access to notes', 'Remove notes', 'Test notes'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    assert.equal(await page.getByRole('button', { name: 'Tools of notes' }).count(), 0);
    await assertAccessible(page);
    if (pictures) await page.screenshot({ path: `${pictures}/mcp-viewer.png`, fullPage: true });
    await page.getByRole('button', { name: 'Authorize the gateway at notes' }).click();
    await page.getByRole('button', { name: /^Go on to/ }).click();
    await page.getByText('authorized', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/mcp-servers');
    await page.getByRole('button', { name: 'Tools of notes' }).click();
    await page.getByText('1 of 1 are offered.').waitFor();
    assert.equal(await page.getByRole('switch').count(), 0);
    await assertReadable(page);
    if (pictures) await page.screenshot({ path: `${pictures}/mcp-viewer-tools.png` });
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('You see none of its tools yet').waitFor({ state: 'detached' });
    assertQuiet();
  });

  const opened = await open({ viewport: { width: 1280, height: 900 } });
  cleanUp(t, opened.close);
  const { page } = opened;
  const dialog = page.getByRole('dialog');

  await t.test('calls of tools are one click away in the log', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${made.json.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    await client.callTool({ name: 'weather__weather', arguments: { city: 'Ulm' } });
    await client.close();
    await logIn(page, acme, '/mcp-servers');
    await page.getByRole('link', { name: 'call of a tool' }).click();
    await page.getByRole('button', { name: 'Remove the filter Format: Tools (MCP)' }).waitFor();
    // The client repeats its first call with a header that the server asks for.
    const calls = page.getByRole('button', { name: /weather__weather/ }).first();
    await calls.waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Format', { exact: true }).selectOption('anthropic-messages');
    await page.getByText('No call matches').waitFor();
    await page.getByLabel('Format', { exact: true }).selectOption('mcp');
    await calls.waitFor();
    await assertAccessible(page);
    if (pictures) await page.screenshot({ path: `${pictures}/mcp-log.png` });
  });

  await t.test('rules name tools, roles, keys, people and projects by a click', async () => {
    await page.goto(`${url}/mcp-servers`);
    await page.getByRole('button', { name: 'Access to weather' }).click();
    await dialog.getByRole('button', { name: 'Add a rule' }).click();
    const tools = dialog.getByRole('group', { name: 'Rule 1' });
    await tools.getByText('Only these', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Save', disabled: true }).waitFor();
    await tools.getByLabel('Add: tool').fill('weather');
    await tools.getByRole('button', { name: 'Add the tool' }).click();
    await tools.getByLabel('Add: tool').fill('as*');
    await tools.getByLabel('Add: tool').press('Enter');
    for (const name of ['developer', 'bot', 'vera@example.com'])
      await tools.getByRole('checkbox', { name, exact: true }).check();
    await dialog.getByRole('checkbox', { name: 'Search', exact: true }).check();
    await assertAccessible(page);
    if (pictures) await page.screenshot({ path: `${pictures}/mcp-rules.png` });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 access rule · 1 project').waitFor();
    const { access, projects } = (await acme.call({ path: '/v1/mcp/servers/weather' })).json;
    assert.deepEqual(access, [
      {
        ...{ tools: ['weather', 'as*'], roles: ['developer'] },
        ...{ keys: [made.json.id], people: [viewer.person.id] },
      },
    ]);
    assert.deepEqual(projects, [project]);
  });

  await t.test('a rule shows names again, on a phone, too, and is removed', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Access to weather' }).click();
    for (const name of ['developer', 'bot', 'vera@example.com', 'Search'])
      await dialog.getByRole('checkbox', { name, exact: true, checked: true }).waitFor();
    await assertReadable(page);
    if (pictures) await page.screenshot({ path: `${pictures}/mcp-rules-phone.png` });
    await dialog.getByRole('button', { name: 'Remove rule 1' }).click();
    await dialog.getByRole('checkbox', { name: 'Search', exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 access rule').waitFor({ state: 'detached' });
    const { access, projects } = (await acme.call({ path: '/v1/mcp/servers/weather' })).json;
    assert.deepEqual([access, projects], [undefined, undefined]);
    if (pictures) await page.screenshot({ path: `${pictures}/mcp-owner-phone.png`, fullPage: true });
    opened.assertQuiet();
  });
});

/** A server with one tool, for people whom the authority knows. */
async function startNotes(t: TestContext, authority: ScriptedAuthority): Promise<string> {
  const { url } = await startRpcServer(t, ({ url: path, headers }, body, response) => {
    const { origin, href } = new URL(url);
    const send = (status: number, value: object, more = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...more })
        .end(JSON.stringify(value));
    if (path !== '/mcp')
      return send(200, {
        resource: href,
        authorization_servers: [authority.url],
        scopes_supported: ['read'],
      });
    if (!authority.accepts(headers.authorization?.replace('Bearer ', ''), href))
      return send(
        401,
        {},
        {
          'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
        },
      );
    const { id, method } = JSON.parse(body);
    const results: Readonly<Record<string, object>> = {
      'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
      'tools/list': { tools: [{ name: 'read', inputSchema: { type: 'object' } }] },
    };
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...results[method] };
    return send(results[method] === undefined ? 404 : 200, { jsonrpc: '2.0', id, result });
  });
  return url;
}

async function store(session: MemberSession, name: string, body: object): Promise<void> {
  const stored = await session.call({ method: 'PUT', path: `/v1/mcp/servers/${name}`, body });
  assert.ok(stored.status < 300, stored.text);
}
