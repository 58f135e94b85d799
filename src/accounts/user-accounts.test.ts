import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountFixture } from '../../test/support/account-fixture.ts';
import { cpuMs, lowerQuartile } from '../../test/support/cpu-time.ts';
import { type ErrorCode, GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import { limits } from './limits.ts';

const ada = { email: 'Ada@Example.com', password: 'correct horse', remoteAddress: '192.0.2.1' };

test('who signed up logs in, in whatever case the address is written', async (t) => {
  const { accounts: userAccounts, tokens, clock } = await AccountFixture.open(t);
  const { member, token } = await userAccounts.signUp({ ...ada, email: '  Ada@Example.com ' });
  assert.equal(member.identity.email, 'Ada@Example.com');
  assert.equal(member.account.tier, 'free');
  assert.equal(member.identity.createdAtMs, clock.now());
  const loginResult = await userAccounts.logIn({ ...ada, email: 'aDA@example.COM' });
  assert.deepEqual(loginResult.member, member);
  for (const session of [await tokens.verify(token), await tokens.verify(loginResult.token)]) {
    assert.ok(session);
    assert.deepEqual(await userAccounts.memberOf(session), member);
  }
});

test('an address has one account, in whatever case it is written', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  await userAccounts.signUp(ada);
  const again = { ...ada, email: 'ada@example.com', password: 'another horse' };
  await assert.rejects(userAccounts.signUp(again), refused(409, 'email_taken'));
  await assert.rejects(userAccounts.logIn(again), refused(401, 'wrong_login'));
});

test('many who sign up with one address at once make one account', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => userAccounts.signUp(ada)));
  assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a session that was logged out is over', async (t) => {
  const { accounts: userAccounts, tokens } = await AccountFixture.open(t);
  const { token } = await userAccounts.signUp(ada);
  const session = await tokens.verify(token);
  assert.ok(session);
  await userAccounts.logOut(session);
  assert.equal(await tokens.verify(token), undefined);
  assert.ok(await userAccounts.logIn(ada));
});

test('a wrong address and a wrong password are refused in the same words and the same time', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  await userAccounts.signUp(ada);
  const wrong = { ...ada, password: 'wrong horse' };
  const unknown = { ...ada, email: 'eve@example.com' };
  const timedLogin = async (login: typeof ada) => {
    let refusal: unknown;
    const tookMs = await cpuMs(async () => {
      refusal = await userAccounts.logIn(login).catch((thrown: unknown) => thrown);
    });
    assert.ok(GatewayError.is(refusal));
    const { status, code, message } = refusal;
    // For the audit log only.
    const { user, ...details } = refusal.details;
    return { error: { status, code, message, details }, user, tookMs };
  };
  const tries = [];
  for (let round = 0; round < 8; round++)
    tries.push([await timedLogin(wrong), await timedLogin(unknown)] as const);
  for (const [byPassword, byAddress] of tries) assert.deepEqual(byAddress.error, byPassword.error);
  // Without a hash to check it would be a hundred times faster.
  const ratio =
    lowerQuartile(tries.map(([, byAddress]) => byAddress.tookMs)) /
    lowerQuartile(tries.map(([byPassword]) => byPassword.tookMs));
  assert.ok(ratio > 0.4 && ratio < 2.5, `${ratio}`);
});

test('a password is the same however its characters are put together', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  await userAccounts.signUp({ ...ada, password: 'caf\u00e9 au lait' });
  assert.ok(await userAccounts.logIn({ ...ada, password: 'cafe\u0301 au lait' }));
});

test('guesses at one account from one address are stopped, and lock no other user out', async (t) => {
  const { accounts: userAccounts, clock } = await AccountFixture.open(t);
  await userAccounts.signUp(ada);
  await userAccounts.signUp({ ...ada, email: 'bob@example.com' });
  const guess = { ...ada, password: 'wrong horse' };
  for (let round = 0; round < limits.loginsPerAccount.most; round++)
    await assert.rejects(userAccounts.logIn(guess), refused(401, 'wrong_login'));
  clock.move(60_000);
  const stopped = refused(429, 'too_many_attempts', limits.loginsPerAccount.seconds - 60);
  await assert.rejects(userAccounts.logIn(guess), stopped);
  await assert.rejects(userAccounts.logIn({ ...ada, email: 'ADA@example.com' }), stopped);
  assert.ok(await userAccounts.logIn({ ...ada, remoteAddress: '192.0.2.2' }));
  assert.ok(await userAccounts.logIn({ ...ada, email: 'bob@example.com' }));
  clock.move(limits.loginsPerAccount.seconds * 1000);
  assert.ok(await userAccounts.logIn(ada));
});

test('who gets in has all tries again', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  await userAccounts.signUp(ada);
  const guess = { ...ada, password: 'wrong horse' };
  for (let round = 0; round < 3; round++) {
    for (let wrong = 1; wrong < limits.loginsPerAccount.most; wrong++)
      await assert.rejects(userAccounts.logIn(guess), refused(401, 'wrong_login'));
    assert.ok(await userAccounts.logIn(ada));
  }
});

test('one address, or one /64, can not try account after account', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  const count = (number: number) => userAccounts.countLogIn(`2001:db8::${number.toString(16)}`);
  const { most, seconds } = limits.loginsPerAddress;
  for (let number = 0; number < most; number++) await count(number);
  await assert.rejects(count(most), refused(429, 'too_many_attempts', seconds));
});

test('the networks of one /48 have so many tries together, and another /48 has its own', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  const { most, seconds } = limits.signUpsPerAddress;
  const count = (number: number, site = '1') =>
    userAccounts.countSignUp(`2001:db8:${site}:${number.toString(16)}::1`);
  for (let number = 0; number < most * kernelLimits.networksPerSite; number++) await count(number);
  await assert.rejects(count(0xffff), refused(429, 'too_many_attempts', seconds));
  await count(0, '2');
  await userAccounts.countSignUp(ada.remoteAddress);
});

test('one address can make so many accounts and no more', async (t) => {
  const { accounts: userAccounts } = await AccountFixture.open(t);
  const { most, seconds } = limits.signUpsPerAddress;
  for (let number = 0; number < most; number++) await userAccounts.countSignUp(ada.remoteAddress);
  await assert.rejects(
    userAccounts.countSignUp(ada.remoteAddress),
    refused(429, 'too_many_attempts', seconds),
  );
  await userAccounts.countSignUp('192.0.2.2');
});

function refused(status: number, code: ErrorCode, retryAfterSeconds?: number) {
  return (thrown: unknown): boolean => {
    assert.ok(GatewayError.is(thrown), String(thrown));
    assert.deepEqual(
      [thrown.status, thrown.code, thrown.details.retryAfterSeconds],
      [status, code, retryAfterSeconds],
    );
    return true;
  };
}
