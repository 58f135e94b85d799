import { z } from 'zod';
import type { Departure } from '../../../accounts/departure.ts';
import { isEmail } from '../../../accounts/email.ts';
import type { Recovery } from '../../../accounts/mail/recovery.ts';
import type { Accounts, Entered } from '../../../accounts/users.ts';
import { effectiveTier } from '../../../billing/tiers.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { type HeaderList, headerOf } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import type { User } from '../../../kernel/ports/records.ts';
import { byAddress, bySession, checkedRoute } from '../checked-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { OwnAnswer, OwnRoute } from '../route.ts';
import type { SessionCookies } from '../session-cookie.ts';
import { text, timestamp } from '../text.ts';

/** One that somebody chooses. */
export const newPassword = text({ min: limits.passwordCharactersMin, max: limits.passwordCharactersMax });

/** One that somebody types again: nothing is told of it but whether it is right. */
export const typedPassword = text({ max: limits.passwordCharactersMax });

const signUp = jsonBody({
  email: z
    .string('must be a string')
    .trim()
    .refine(isEmail, 'must be an e-mail address')
    .meta({ format: 'email', maxLength: limits.emailCharactersMax }),
  password: newPassword,
});

/** Nothing here is told from a wrong address or password that could be one. */
const logIn = jsonBody({
  email: text({ max: limits.emailCharactersMax }),
  password: typedPassword,
});

const userInfo = z.strictObject({
  id: z.uuid(),
  email: z.string(),
  tier: z.enum(['free', 'pro', 'team']),
  createdAt: z.iso.datetime(),
});

const enteredInfo = z.strictObject({
  token: z.string().describe('The session token'),
  expiresAt: z.iso.datetime(),
  user: userInfo,
});

const refusals = {
  400: { description: 'The body is wrong' },
  429: { description: 'Too many tries; retry-after or error.resets_at says when to come back' },
};

const cookieHeader = {
  'set-cookie':
    '`weir_session`, or `__Host-weir_session` on https, where the request has `x-weir-session: cookie`',
};

export interface UserParts {
  readonly accounts: Accounts;
  readonly recovery: Recovery;
  readonly departure: Departure;
  readonly cookies: SessionCookies;
}

/** Accounts: by e-mail address and password, from then on by session token, which a browser keeps in a cookie. */
export function usersRoutes({ accounts, recovery, departure, cookies }: UserParts): readonly OwnRoute[] {
  const tag = 'Accounts';
  const answer = (status: number, headers: HeaderList, made: Entered): OwnAnswer => ({
    ...entered(status, made),
    headers: cookies.forAsked(headers, made.token),
  });
  return [
    checkedRoute({
      method: 'POST',
      path: '/v1/users/signup',
      summary: 'Make an account',
      tag,
      access: byAddress((address) => accounts.countSignUp(address)),
      body: signUp,
      answers: {
        201: { description: 'The account, with a session token', schema: enteredInfo, headers: cookieHeader },
        409: { description: 'The address has an account' },
        ...refusals,
      },
      async handle({ body, headers }) {
        const made = await accounts.signUp({ ...body, client: clientOf(headers) });
        recovery.welcome(made.user);
        return answer(201, headers, made);
      },
    }),
    checkedRoute({
      method: 'POST',
      path: '/v1/users/login',
      summary: 'Get a session token',
      tag,
      access: byAddress((address) => accounts.countLogIn(address)),
      body: logIn,
      answers: {
        200: { description: 'A session token', schema: enteredInfo, headers: cookieHeader },
        401: { description: 'The address or the password is wrong' },
        403: { description: 'The account is closed' },
        ...refusals,
      },
      handle: async ({ body, headers, remoteAddress }) =>
        answer(200, headers, await accounts.logIn({ ...body, remoteAddress, client: clientOf(headers) })),
    }),
    checkedRoute({
      method: 'GET',
      path: '/v1/users/me',
      summary: 'Whose session this is',
      tag,
      access: bySession,
      body: noBody,
      answers: {
        200: { description: 'The account', schema: userInfo },
        401: { description: 'No session token that holds' },
      },
      handle: async ({ caller }) => ({ body: described(await accounts.me(caller)) }),
    }),
    checkedRoute({
      method: 'DELETE',
      path: '/v1/users/me',
      summary: 'Delete the account and what it has here',
      tag,
      access: bySession,
      body: jsonBody({ password: typedPassword }),
      answers: {
        204: { description: 'Its keys work nowhere any more, and the rest is being erased' },
        400: { description: 'The body is wrong' },
        401: { description: 'No session token that holds, or the password is wrong' },
        429: { description: 'Too many tries' },
        502: { description: 'Its subscription could not be cancelled, and nothing was deleted' },
      },
      async handle({ caller, body, remoteAddress }) {
        await departure.leave(caller, body.password, remoteAddress);
        return { status: 204, headers: cookies.clear() };
      },
    }),
    checkedRoute({
      method: 'POST',
      path: '/v1/users/logout',
      summary: 'End this session',
      tag,
      access: bySession,
      body: jsonBody({}),
      answers: {
        204: { description: 'The token does not work any more, and a cookie with it is gone' },
        401: { description: 'No session token that holds' },
      },
      async handle({ caller }) {
        await accounts.logOut(caller);
        return { status: 204, headers: cookies.clear() };
      },
    }),
  ];
}

function entered(status: number, { token, expiresAtMs, user }: Entered): OwnAnswer {
  return {
    status,
    body: { token, expiresAt: timestamp(expiresAtMs), user: described(user) },
  };
}

function clientOf(headers: HeaderList): string {
  return headerOf(headers, 'user-agent') ?? '';
}

function described(user: User) {
  const { id, email, createdAtMs } = user;
  return { id, email, tier: effectiveTier(user, systemClock.now()), createdAt: timestamp(createdAtMs) };
}
