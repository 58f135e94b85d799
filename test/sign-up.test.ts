import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from './support/at.ts';
import { assertAccessible, sharedBrowser } from './support/browser.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { password, startCloud } from './support/cloud.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

const open = sharedBrowser();

test('where sign-up is by invitation, a link makes one account for one address', async (t) => {
  const environment = { WEIR_MODE: 'cloud', WEIR_SIGNUP: 'invite', WEIR_DATA_DIR: emptyFolder(t) };
  const { url } = await startCloud(t, environment);
  const weir = (...args: readonly string[]) => runCommand(t, args, environment);
  const invite = async (email: string, ...flags: readonly string[]) => {
    const { said, complained } = await weir('users', 'invite', email, ...flags);
    assert.match(complained, /^\{.*"event":"invitation\.created".*\}\n$/);
    const link = new URL(said.trim().split('\n').at(-1) ?? '');
    return { link, invitation: String(new URLSearchParams(link.hash.slice(1)).get('invitation')) };
  };
  const signUp = async (email: string, invitation?: string) => {
    const { status, json } = await call(url, {
      path: '/v1/users/signup',
      body: { email, password, ...(invitation !== undefined && { invitation }) },
    });
    return status === 201 ? 'signed up' : at(json, 'error', 'code');
  };

  const ada = await invite('Ada@example.com');
  assert.equal(await signUp('ada@example.com'), 'invitation_required');
  assert.equal(await signUp('ada@example.com', 'made up'), 'invitation_required');
  assert.equal(await signUp('grace@example.com', ada.invitation), 'invitation_required');
  assert.match((await weir('users', 'invitations')).said, /^Ada@example\.com +\S+ +\S+$/m);
  const both = [signUp('ada@EXAMPLE.com', ada.invitation), signUp('ada@example.com', ada.invitation)];
  const [one, other] = (await Promise.all(both)).toSorted();
  assert.equal(other, 'signed up');
  assert.match(String(one), /^(invitation_required|email_taken)$/);
  assert.equal(await signUp('ada@example.com', ada.invitation), 'invitation_required');
  assert.match((await weir('users', 'invite', 'ada@example.com')).complained, /exists already/);

  const replaced = await invite('grace@example.com');
  const revoked = await invite('grace@example.com', '--days', '1');
  assert.equal(await signUp('grace@example.com', replaced.invitation), 'invitation_required');
  assert.match((await weir('users', 'uninvite', 'GRACE@example.com')).said, /is revoked/);
  assert.match((await weir('users', 'uninvite', 'grace@example.com')).complained, /has no invitation/);
  assert.equal(await signUp('grace@example.com', revoked.invitation), 'invitation_required');
  assert.equal((await weir('users', 'invitations', '--json')).said, '');
  assert.match((await weir('users', 'invite', 'grace@example.com', '--days', '0')).complained, /1 to 90/);

  const invited = await invite('joan@example.com');
  const { page, assertQuiet, close } = await open();
  cleanUp(t, close);
  await page.goto(`${url}/signup`);
  await page.getByRole('heading', { name: 'Sign-up is by invitation' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Sign up' }).count(), 0);
  await assertAccessible(page);
  await page.goto('about:blank');
  await page.goto(`${url}/signup${invited.link.hash}`);
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'joan@example.com');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByText('Three steps').waitFor();
  assertQuiet();
});

test('where sign-up is closed, nobody signs up, and an operator makes accounts', async (t) => {
  const environment = { WEIR_MODE: 'cloud', WEIR_SIGNUP: 'off', WEIR_DATA_DIR: emptyFolder(t) };
  const { url } = await startCloud(t, environment);
  const body = { email: 'ada@example.com', password };
  const refused = await call(url, { path: '/v1/users/signup', body });
  assert.deepEqual([refused.status, at(refused.json, 'error', 'code')], [403, 'signup_closed']);
  const session = await call(url, { path: '/api/anon/session', body: {} });
  const claim = await call(url, { path: '/api/anon/claim', body: { session_id: session.json.session_id } });
  assert.equal(claim.status, 401);
  const { said } = await runCommand(t, ['users', 'create', 'ada@example.com'], environment);
  const generated = /shown only once: (\S+)\n$/.exec(said)?.[1];
  const login = { path: '/v1/users/login', body: { ...body, password: generated } };
  assert.equal((await call(url, login)).status, 200);
});
