import { z } from 'zod';
import type { Recovery } from '../../../accounts/mail/recovery.ts';
import type { Session } from '../../../accounts/session-tokens.ts';
import type { Accounts } from '../../../accounts/users.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { MailboxProof } from '../../../kernel/ports/sessions.ts';
import { type AccessRule, byAddress, bySession, checkedRoute } from '../checked-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { OwnAnswer, OwnRoute } from '../route.ts';
import { text } from '../text.ts';
import { newPassword } from './users.ts';

const token = text({ max: limits.mailedTokenCharactersMax }).describe(
  'What stands behind #token= in the link',
);

const standing = z.strictObject({
  verified: z
    .boolean()
    .describe('Whether it was shown that mail to the address is read by whose account it is'),
  mail: z.boolean().describe('Whether this gateway sends mail'),
});

const noMail = { 503: { description: 'This gateway sends no mail: detail `mail_not_configured`' } };
const refusals = {
  400: { description: 'The body is wrong, or the link was used or is too old: code `invalid_token`' },
  429: { description: 'Too many tries' },
};

export interface RecoveryRouteParts {
  readonly accounts: Accounts;
  readonly recovery: Recovery;
  /** Forgets what stands in an account's prompts or answers its calls. */
  forgetContent(accountId: string): Promise<void>;
}

/** What people do by a link that comes by mail. */
export function recoveryRoutes(parts: RecoveryRouteParts): readonly OwnRoute[] {
  const { accounts, recovery } = parts;
  const tag = 'Accounts';
  const settle = async ({ accountId, startsAfresh }: MailboxProof): Promise<OwnAnswer> => {
    if (startsAfresh) await parts.forgetContent(accountId);
    return { status: 204 };
  };
  const counted = byAddress((address) => recovery.countTry(address));
  const countedWithSession: AccessRule<Session | undefined> = {
    name: 'public',
    async check({ access, ...asked }) {
      await recovery.countTry(asked.remoteAddress);
      return access.session(asked).catch((refusal: unknown) => {
        if (GatewayError.is(refusal) && refusal.status < 500) return undefined;
        throw refusal;
      });
    },
  };
  return [
    checkedRoute({
      method: 'POST',
      path: '/v1/users/password-reset',
      summary: 'Ask for a link to set a new password',
      tag,
      access: byAddress(async (address) => {
        recovery.requireMail();
        await recovery.countTry(address);
      }),
      body: jsonBody({ email: text({ max: limits.emailCharactersMax }) }),
      answers: {
        202: { description: 'The link is sent where there is such an account; nobody is told whether' },
        400: { description: 'The body is wrong' },
        429: refusals[429],
        ...noMail,
      },
      handle({ body }) {
        recovery.askReset(body.email);
        return { status: 202, body: { accepted: true } };
      },
    }),
    checkedRoute({
      method: 'POST',
      path: '/v1/users/password-reset/confirm',
      summary:
        'Set a new password by a link, which ends all sessions, and what was made before the address was confirmed',
      tag,
      access: counted,
      body: jsonBody({ token, password: newPassword }),
      answers: { 204: { description: 'It is set' }, ...refusals },
      handle: async ({ body }) => settle(await recovery.reset(body.token, body.password)),
    }),
    checkedRoute({
      method: 'POST',
      path: '/v1/users/verify',
      summary: 'Show by a link that the address is yours',
      tag,
      access: countedWithSession,
      body: jsonBody({ token }),
      answers: {
        204: {
          description:
            'It is. The first time, API keys and other sessions end; without a session of the account also its password and provider keys',
        },
        ...refusals,
      },
      handle: async ({ caller, body }) => settle(await recovery.verify(body.token, caller)),
    }),
    checkedRoute({
      method: 'GET',
      path: '/v1/users/verify',
      summary: 'Whether the address was shown to be yours',
      tag,
      access: bySession,
      body: noBody,
      answers: {
        200: { description: 'How it stands', schema: standing },
        401: { description: 'No session token that holds' },
      },
      async handle({ caller }) {
        const { verifiedAtMs } = await accounts.me(caller);
        return { body: { verified: verifiedAtMs !== undefined, mail: recovery.canMail } };
      },
    }),
    checkedRoute({
      method: 'POST',
      path: '/v1/users/verify/mail',
      summary: 'Ask for the link once more',
      tag,
      access: bySession,
      body: jsonBody({}),
      answers: {
        202: { description: 'It is sent, five times in an hour at most' },
        401: { description: 'No session token that holds' },
        ...noMail,
      },
      async handle({ caller }) {
        recovery.requireMail();
        recovery.askVerification(await accounts.me(caller));
        return { status: 202, body: { accepted: true } };
      },
    }),
  ];
}
