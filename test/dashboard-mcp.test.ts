import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertAccessible, assertReadable, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { startHttp } from './support/http-server.ts';

const open = sharedBrowser();
const pictures = process.env.TEST_PICTURES;
const hostile = '<img src=x onerror=alert(1)>';

/** An API of pets with its description; `summary` is that of one operation. */
function describePets(summary: string) {
  const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer' } };
  return {
    openapi: '3.1.0',
    info: { title: `Pets ${hostile}`, version: '7' },
    servers: [{ url: '/v1' }, { url: 'https://elsewhere.example' }],
    components: { securitySchemes: { api_key: { type: 'apiKey', in: 'query', name: 'key' } } },
    paths: {
      '/pets': { get: { operationId: 'listPets', summary }, post: { operationId: 'addPet' } },
      '/pets/{id}': {
        get: { operationId: 'getPet', summary: hostile, parameters: [id] },
        delete: { operationId: 'removePet', parameters: [id] },
        put: { operationId: 'old', deprecated: true, parameters: [id] },
      },
    },
  };
}

test('somebody adds an API, reads its tools, leaves one out, sees a change, sets rules and removes it', async (t) => {
  let document = describePets('All pets');
  const api = await startHttp(t, (_request, response) => {
    response.writeHead(200, ['content-type', 'application/json']);
    response.end(JSON.stringify(document));
  });
  const weir = await startTestGateway();
  cleanUp(t, () => weir.close());
  const opened = await open({ viewport: { width: 1440, height: 900 } });
  cleanUp(t, opened.close);
  const { page } = opened;
  const stored = async () => (await call(weir.url, { path: '/v1/mcp/servers/pets' })).json;
  await page.goto(`${weir.url}/mcp-servers`);
  await page.getByText('No MCP servers yet.').waitFor();
  await page.getByText('claude mcp add --transport http weir').waitFor();
  await assertAccessible(page);
  if (pictures) await page.screenshot({ path: `${pictures}/mcp-empty.png` });

  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByLabel('Name').fill('pets');
  await page.getByText('OpenAPI', { exact: true }).click();
  await page.getByLabel('Address of the description').fill(`${api}/openapi.json`);
  await page.getByLabel('Headers and keys').fill('api_key: secret-of-the-test');
  await assertAccessible(page);
  if (pictures) await page.screenshot({ path: `${pictures}/mcp-add.png` });
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Test pets' }).click();
  await page.getByText('has 4 tools').waitFor();
  await page.getByText('1 operation is no tool').click();
  await page.getByText('it is deprecated').waitFor();
  await page.getByText('https://elsewhere.example').waitFor();
  await page.getByText('api_key (query key)').waitFor();
  await assertAccessible(page);
  if (pictures) await page.screenshot({ path: `${pictures}/mcp-tested.png` });

  await page.getByRole('button', { name: 'Tools of pets' }).click();
  await page.getByText('4 of 4 are offered.').waitFor();
  await page.getByText(hostile, { exact: true }).waitFor();
  await page.getByText('Definition', { exact: true }).first().click();
  if (pictures) await page.screenshot({ path: `${pictures}/mcp-tools.png` });
  await assertAccessible(page);
  await page.getByRole('switch', { name: 'Offer removePet' }).click();
  await page.getByText('3 of 4 are offered.').waitFor();
  assert.deepEqual((await stored()).tools, { deny: ['removePet'] });
  await page.getByRole('button', { name: 'Close' }).click();

  document = describePets('Pets, and your secrets');
  await page.getByRole('button', { name: 'Edit pets' }).click();
  await page.getByLabel('Address of the description').fill(`${api}/openapi.json`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Tools of pets' }).click();
  await page.getByText('1 definition is new or changed').waitFor();
  await page.getByText('changed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await page.getByText('changed', { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Access to pets' }).click();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const rule = page.getByRole('group', { name: 'Rule 1' });
  await rule.getByText('Only these', { exact: true }).click();
  for (const name of ['list*', 'getPet']) {
    await rule.getByLabel('Add: tool').fill(name);
    await rule.getByRole('button', { name: 'Add the tool' }).click();
  }
  assert.equal(await rule.getByText('Roles').count(), 0, 'a local gateway has one person');
  await assertAccessible(page);
  if (pictures) await page.screenshot({ path: `${pictures}/mcp-access.png` });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 access rule').waitFor();
  const { access, headers, tools } = await stored();
  assert.deepEqual(access, [{ tools: ['list*', 'getPet'] }]);
  assert.deepEqual([headers, tools], [['api_key'], { deny: ['removePet'] }]);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertReadable(page);
  if (pictures) await page.screenshot({ path: `${pictures}/mcp-phone.png` });
  await page.getByRole('button', { name: 'Remove pets' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No MCP servers yet.').waitFor();
  opened.assertQuiet();
});

test('a server that fails says why, one of people offers to authorize, and registry entries become servers', async (t) => {
  const away = await startHttp(t, (_request, response) => {
    response.writeHead(500, []);
    response.end('broken');
  });
  const weir = await startTestGateway();
  cleanUp(t, () => weir.close());
  const opened = await open({ viewport: { width: 1440, height: 900 } });
  cleanUp(t, opened.close);
  const { page } = opened;
  const put = (name: string, body: object) =>
    call(weir.url, { method: 'PUT', path: `/v1/mcp/servers/${name}`, body });
  await put('away', { url: `${away}/mcp` });
  await put('people', { url: `${away}/mcp`, authorization: 'person' });
  await put('off', { url: `${away}/mcp`, enabled: false });
  await page.goto(`${weir.url}/mcp-servers`);
  await page.getByRole('button', { name: 'Test away' }).click();
  await page.getByText('fails', { exact: true }).waitFor();
  await page.getByText('disabled', { exact: true }).waitFor();
  await page.getByText('You see none of its tools yet').waitFor();
  await page.getByRole('button', { name: 'Authorize at people' }).waitFor();
  await assertAccessible(page);
  if (pictures) await page.screenshot({ path: `${pictures}/mcp-failing.png` });
  opened.assertQuiet();
  // From here on, the console has the failed request.
  await page.getByRole('button', { name: 'Tools of away' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'From the registry' }).click();
  await page.getByLabel('server.json').fill('no json');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('This is no server.json').waitFor();
  const registry = {
    name: 'io.github.acme/weather',
    description: 'Weather',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: `${away}/mcp` }],
  };
  await page.getByLabel('server.json').fill(JSON.stringify({ server: registry }));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Edit weather' }).waitFor();
  for (const client of ['Codex', 'Gemini CLI', 'Cursor']) {
    await page.getByText(client, { exact: true }).click();
    await page.getByRole('region', { name: 'Set-up' }).getByText(`${weir.url}/mcp`).waitFor();
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await assertReadable(page);
});
