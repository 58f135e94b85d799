import { z } from 'zod';
import type { SessionTokens } from '../../../accounts/session-tokens.ts';
import type { UserAccounts } from '../../../accounts/user-accounts.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { newPassword, typedPassword } from './users.ts';

const sessionInfo = z.strictObject({
  id: z.uuid(),
  client: z.string().describe('The user agent'),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().describe('Rounded to the hour'),
  expiresAt: z.iso.datetime(),
  current: z.boolean().describe('Whether it is the session of this request'),
});
const listInfo = z.strictObject({ sessions: z.array(sessionInfo).describe('Newest first') });

const unauthenticated = { 401: { description: 'Missing or invalid session token' } };

export interface SessionRouteParts {
  readonly accounts: UserAccounts;
  readonly tokens: SessionTokens;
}

/** Sessions and password of the signed-in account. */
export function sessionsRoutes({ accounts: userAccounts, tokens }: SessionRouteParts): readonly ApiRoute[] {
  const tag = 'Accounts';
  return [
    defineRoute({
      method: 'PUT',
      audit: 'password.changed',
      path: '/v1/users/password',
      summary: 'Change the password and end all other sessions',
      tag,
      access: bySession('person'),
      body: jsonBody({ current: typedPassword, next: newPassword }),
      responses: {
        204: { description: 'The password is changed' },
        400: { description: 'The body is invalid' },
        401: { description: 'Missing or invalid session token, or the current password is wrong' },
        429: { description: 'Too many attempts' },
      },
      failureEvent: 'login.failed',
      async handle({ caller, body, remoteAddress }) {
        await userAccounts.changePassword(caller, { ...body, remoteAddress });
        return { status: 204 };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/users/sessions',
      summary: 'List the sessions of the account',
      tag,
      access: bySession('person'),
      body: noBody,
      responses: { 200: { description: 'The sessions', schema: listInfo }, ...unauthenticated },
      async handle({ caller }) {
        const sessions = (await tokens.list(caller)).map((session) => ({
          id: session.id,
          client: session.client,
          createdAt: timestamp(session.createdAtMs),
          lastUsedAt: timestamp(session.usedAtMs),
          expiresAt: timestamp(session.expiresAtMs),
          current: session.id === caller.tokenId,
        }));
        return { body: { sessions } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'session.ended',
      path: '/v1/users/sessions/:id',
      summary: 'End a session',
      tag,
      access: bySession('person'),
      body: noBody,
      responses: {
        204: { description: 'The token no longer works' },
        404: { description: 'The account has no such session' },
        ...unauthenticated,
      },
      async handle({ caller, parameters }) {
        const id = parameters.id ?? '';
        if (!z.uuid().safeParse(id).success || !(await tokens.end(caller, id)))
          throw new GatewayError('not_found', 'no such session; GET /v1/users/sessions lists them');
        return { status: 204 };
      },
    }),
  ];
}
