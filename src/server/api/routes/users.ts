import { z } from 'zod';
import type { AccountDeletion } from '../../../accounts/account-deletion.ts';
import { isEmail } from '../../../accounts/email.ts';
import { limits } from '../../../accounts/limits.ts';
import type { AccountRecovery } from '../../../accounts/mail/account-recovery.ts';
import type { LoginResult, UserAccounts } from '../../../accounts/user-accounts.ts';
import type { AuditFacts } from '../../../audit/facts.ts';
import { effectiveTier } from '../../../billing/tiers.ts';
import type { Member } from '../../../kernel/ports/identities.ts';
import { systemClock } from '../../../lib/clock.ts';
import { type HeaderList, headerOf } from '../../../lib/headers.ts';
import { byAddress, bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiResponse, ApiRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { textSchema, timestamp } from '../text.ts';

/** A new password, checked for length. */
export const newPassword = textSchema({
  min: limits.passwordCharactersMin,
  max: limits.passwordCharactersMax,
});

/** An existing password: errors reveal only whether it is correct. */
export const typedPassword = textSchema({ max: limits.passwordCharactersMax });

const signUpBody = jsonBody({
  email: z
    .string('must be a string')
    .trim()
    .refine(isEmail, 'must be an email address')
    .meta({ format: 'email', maxLength: limits.emailCharactersMax }),
  password: newPassword,
  invitation: textSchema({ max: limits.invitationCharactersMax })
    .optional()
    .describe('The token of an invitation, where sign-up is by invitation'),
});

/** Accepts any text: a malformed address must fail like a wrong one. */
const logInBody = jsonBody({
  email: textSchema({ max: limits.emailCharactersMax }),
  password: typedPassword,
});

const userInfo = z.strictObject({
  id: z.uuid(),
  email: z.string(),
  tier: z.enum(['free', 'pro', 'team']),
  createdAt: z.iso.datetime(),
});

export const sessionInfo = z.strictObject({
  token: z.string().describe('The session token'),
  expiresAt: z.iso.datetime(),
  user: userInfo,
});

const errorResponses = {
  400: { description: 'The body is invalid' },
  429: { description: 'Too many attempts; see retry-after or error.resets_at' },
};

export const cookieHeader = {
  'set-cookie':
    '`weir_session`, or `__Host-weir_session` on https, if the request has `x-weir-session: cookie`',
};

export interface UserParts {
  readonly accounts: UserAccounts;
  readonly recovery: AccountRecovery;
  readonly accountDeletion: AccountDeletion;
  readonly cookies: SessionCookies;
}

/** Signup, login and account management; sessions are bearer tokens or, for browsers, cookies. */
export function usersRoutes({
  accounts: userAccounts,
  recovery: accountRecovery,
  accountDeletion,
  cookies,
}: UserParts): readonly ApiRoute[] {
  const tag = 'Accounts';
  const answer = (status: number, headers: HeaderList, made: LoginResult): ApiResponse => ({
    ...sessionResponse(status, made),
    headers: cookies.setIfRequested(headers, made.token),
  });
  return [
    defineRoute({
      method: 'POST',
      audit: 'account.created',
      path: '/v1/users/signup',
      summary: 'Create an account',
      tag,
      access: byAddress((address) => userAccounts.countSignUp(address)),
      body: signUpBody,
      responses: {
        201: { description: 'The account with a session token', schema: sessionInfo, headers: cookieHeader },
        403: { description: 'Sign-up is closed, or by invitation' },
        409: { description: 'The address has an account already' },
        ...errorResponses,
      },
      async handle({ body, headers }) {
        const made = await userAccounts.signUp({ ...body, client: clientOf(headers) });
        accountRecovery.sendSignUpVerification(made.member.identity);
        return { ...answer(201, headers, made), audit: ownerOf(made) };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'login.succeeded',
      path: '/v1/users/login',
      summary: 'Log in',
      tag,
      access: byAddress((address) => userAccounts.countLogIn(address)),
      body: logInBody,
      responses: {
        200: { description: 'A session token', schema: sessionInfo, headers: cookieHeader },
        401: { description: 'Wrong email address or password' },
        403: { description: 'The account is disabled' },
        ...errorResponses,
      },
      failureEvent: 'login.failed',
      async handle({ body, headers, remoteAddress }) {
        const made = await userAccounts.logIn({ ...body, remoteAddress, client: clientOf(headers) });
        return { ...answer(200, headers, made), audit: ownerOf(made) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/users/me',
      summary: 'Get the account of this session',
      tag,
      access: bySession('person'),
      body: noBody,
      responses: {
        200: { description: 'The account', schema: userInfo },
        401: { description: 'Missing or invalid session token' },
      },
      handle: async ({ caller }) => ({ body: describeUser(await userAccounts.memberOf(caller)) }),
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'account.deleted',
      path: '/v1/users/me',
      summary: 'Delete your own account and its data',
      tag,
      access: bySession('person'),
      body: jsonBody({ password: typedPassword }),
      responses: {
        204: { description: 'The keys are revoked, and the data is being erased' },
        400: { description: 'The body is invalid' },
        401: { description: 'Missing or invalid session token, or the password is wrong' },
        429: { description: 'Too many attempts' },
        403: { description: 'The session is in an organization' },
        409: { description: 'Organizations or members depend on you' },
        502: { description: 'The subscription could not be canceled; nothing was deleted' },
      },
      failureEvent: 'login.failed',
      async handle({ caller, body, remoteAddress }) {
        await accountDeletion.deleteAccount(caller, body.password, remoteAddress);
        return { status: 204, headers: cookies.clear() };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'session.ended',
      path: '/v1/users/logout',
      summary: 'Log out',
      tag,
      access: bySession('person'),
      body: jsonBody({}),
      responses: {
        204: { description: 'The token no longer works, and its cookie is removed' },
        401: { description: 'Missing or invalid session token' },
      },
      async handle({ caller }) {
        await userAccounts.logOut(caller);
        return { status: 204, headers: cookies.clear() };
      },
    }),
  ];
}

export function sessionResponse(status: number, { token, expiresAtMs, member }: LoginResult): ApiResponse {
  return {
    status,
    body: { token, expiresAt: timestamp(expiresAtMs), user: describeUser(member) },
  };
}

export function ownerOf({ member: { account, identity } }: LoginResult): AuditFacts {
  return { account: account.id, actor: `user:${identity.id}` };
}

export function clientOf(headers: HeaderList): string {
  return headerOf(headers, 'user-agent') ?? '';
}

function describeUser({ identity, account }: Member) {
  const { email, createdAtMs } = identity;
  const tier = effectiveTier(account, systemClock.now());
  return { id: String(identity.id), email, tier, createdAt: timestamp(createdAtMs) };
}
