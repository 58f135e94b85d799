import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { AccountFixture, testKey } from '../../test/support/account-fixture.ts';
import { limits } from './limits.ts';
import type { IssuedToken } from './session-tokens.ts';

test('a token says whose session it is, for seven days', async (t) => {
  const desk = await AccountFixture.open(t);
  const { tokens, clock } = desk;
  const { token, expiresAtMs } = await issued(desk);
  assert.equal(expiresAtMs, clock.now() + 7 * 86_400_000);
  const session = await tokens.verify(token);
  assert.equal(session?.accountId, await desk.theAccount());
  assert.equal(session?.expiresAtMs, expiresAtMs);
  clock.move(limits.sessionLifeMs - 1000);
  assert.ok(await tokens.verify(token));
  clock.move(1000);
  assert.equal(await tokens.verify(token), undefined);
});

test('a token that was ended does not hold, and others of the account do', async (t) => {
  const desk = await AccountFixture.open(t);
  const { tokens } = desk;
  const [ended, other] = [await issued(desk), await issued(desk)];
  const session = await tokens.verify(ended.token);
  assert.ok(session);
  assert.equal(await tokens.end(session, session.tokenId), true);
  assert.equal(await tokens.end(session, session.tokenId), false);
  assert.equal(await tokens.verify(ended.token), undefined);
  assert.ok(await tokens.verify(other.token));
});

test('a token signed with the previous key holds, one of any other key does not', async (t) => {
  const desk = await AccountFixture.open(t);
  const { token } = await issued(desk, desk.tokensSignedBy([testKey(8)]));
  assert.ok(await desk.tokensSignedBy([testKey(9), testKey(8)]).verify(token));
  assert.equal(await desk.tokensSignedBy([testKey(9)]).verify(token), undefined);
});

test('what is not exactly such a token does not hold', async (t) => {
  const desk = await AccountFixture.open(t);
  const { tokens, clock } = desk;
  const { token } = await issued(desk);
  const genuine = await tokens.verify(token);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(clock.now() / 1000);
  const claims = {
    sub: genuine?.accountId,
    jti: genuine?.tokenId,
    iat: seconds,
    exp: seconds + 60,
    iss: 'weir',
    aud: 'weir-session',
  };
  const signed = (fields: object, alg = 'HS256') =>
    new SignJWT({ ...fields }).setProtectedHeader({ alg }).sign(testKey(1));
  assert.ok(await tokens.verify(await signed(claims)), 'the forgeries below differ by one thing only');
  for (const forged of [
    '',
    'x',
    'gw_live_abc',
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${header}.${payload}.${signature.slice(1)}A`,
    `${header}.${encoded({ ...claims, sub: 'b' })}.${signature}`,
    `${encoded({ alg: 'none' })}.${payload}.`,
    `${encoded({ alg: 'none' })}.${payload}.${signature}`,
    `${encoded({ alg: 'RS256' })}.${payload}.${signature}`,
    ...['=', '==', ' ', '\n', '.', `.${signature}`].map((end) => `${token}${end}`),
    ` ${token}`,
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}==.${signature}`,
    withOtherLastBits(token),
    `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    await signed(claims, 'HS512'),
    await signed({ ...claims, aud: 'another' }),
    await signed({ ...claims, iss: 'another' }),
    await signed({ ...claims, exp: undefined }),
    await signed({ ...claims, jti: undefined }),
    await signed({ ...claims, jti: 'of no session' }),
    await signed({ ...claims, sub: 'of another account' }),
    await signed({ ...claims, sub: undefined }),
    await signed({ ...claims, exp: seconds - 1 }),
    await signed({ ...claims, nbf: seconds + 30 }),
  ])
    assert.equal(await tokens.verify(forged), undefined, forged);
});

async function issued(desk: AccountFixture, tokens = desk.tokens): Promise<IssuedToken> {
  const member = await desk.database.members.owner(await desk.theAccount());
  assert.ok(member);
  const token = await tokens.issue(member, '');
  assert.ok(token);
  return token;
}

/** The last character has two bits that say nothing; this one has other ones there. */
function withOtherLastBits(token: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = `${token.slice(0, -1)}${digits[digits.indexOf(token.slice(-1)) ^ 1]}`;
  const bytesOf = (whole: string) => Buffer.from(whole.split('.')[2] ?? '', 'base64url');
  assert.deepEqual(bytesOf(other), bytesOf(token));
  return other;
}
