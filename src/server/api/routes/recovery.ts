import { z } from 'zod';
import type { AccountRecovery } from '../../../accounts/mail/account-recovery.ts';
import type { Session } from '../../../accounts/session-tokens.ts';
import type { UserAccounts } from '../../../accounts/user-accounts.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import type { MailboxProof } from '../../../kernel/ports/sessions.ts';
import { type AccessRule, byAddress, bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiResponse, ApiRoute } from '../route.ts';
import { textSchema } from '../text.ts';
import { newPassword } from './users.ts';

const token = textSchema({ max: limits.mailedTokenCharactersMax }).describe(
  'What stands behind #token= in the link',
);

const verificationSchema = z.strictObject({
  verified: z
    .boolean()
    .describe('Whether it was shown that mail to the address is read by whose account it is'),
  mail: z.boolean().describe('Whether this gateway sends mail'),
});

const mailNotConfigured = {
  503: { description: 'This gateway sends no mail: detail `mail_not_configured`' },
};
const errorResponses = {
  400: { description: 'The body is wrong, or the link was used or is too old: code `invalid_token`' },
  429: { description: 'Too many tries' },
};

export interface RecoveryRouteParts {
  readonly accounts: UserAccounts;
  readonly recovery: AccountRecovery;
  /** Forgets what stands in an account's prompts or answers its calls. */
  forgetContent(accountId: string): Promise<void>;
}

/** What people do by a link that comes by mail. */
export function recoveryRoutes(parts: RecoveryRouteParts): readonly ApiRoute[] {
  const { accounts: userAccounts, recovery: accountRecovery } = parts;
  const tag = 'Accounts';
  const settle = async ({ accountId, startsAfresh }: MailboxProof): Promise<ApiResponse> => {
    if (startsAfresh) await parts.forgetContent(accountId);
    return { status: 204 };
  };
  const counted = byAddress((address) => accountRecovery.countAttempt(address));
  const countedWithSession: AccessRule<Session | undefined> = {
    name: 'public',
    async check({ access, ...asked }) {
      await accountRecovery.countAttempt(asked.remoteAddress);
      return access.session(asked).catch((refusal: unknown) => {
        if (GatewayError.is(refusal) && refusal.status < 500) return undefined;
        throw refusal;
      });
    },
  };
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/users/password-reset',
      summary: 'Ask for a link to set a new password',
      tag,
      access: byAddress(async (address) => {
        accountRecovery.requireMail();
        await accountRecovery.countAttempt(address);
      }),
      body: jsonBody({ email: textSchema({ max: limits.emailCharactersMax }) }),
      responses: {
        202: { description: 'The link is sent where there is such an account; nobody is told whether' },
        400: { description: 'The body is wrong' },
        429: errorResponses[429],
        ...mailNotConfigured,
      },
      handle({ body }) {
        accountRecovery.requestPasswordReset(body.email);
        return { status: 202, body: { accepted: true } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/users/password-reset/confirm',
      summary:
        'Set a new password by a link, which ends all sessions, and what was made before the address was confirmed',
      tag,
      access: counted,
      body: jsonBody({ token, password: newPassword }),
      responses: { 204: { description: 'It is set' }, ...errorResponses },
      handle: async ({ body }) => settle(await accountRecovery.resetPassword(body.token, body.password)),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/users/verify',
      summary: 'Show by a link that the address is yours',
      tag,
      access: countedWithSession,
      body: jsonBody({ token }),
      responses: {
        204: {
          description:
            'It is. The first time, API keys and other sessions end; without a session of the account also its password and provider keys',
        },
        ...errorResponses,
      },
      handle: async ({ caller, body }) => settle(await accountRecovery.verifyEmail(body.token, caller)),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/users/verify',
      summary: 'Whether the address was shown to be yours',
      tag,
      access: bySession,
      body: noBody,
      responses: {
        200: { description: 'How it stands', schema: verificationSchema },
        401: { description: 'No session token that holds' },
      },
      async handle({ caller }) {
        const { verifiedAtMs } = await userAccounts.userOf(caller);
        return { body: { verified: verifiedAtMs !== undefined, mail: accountRecovery.canMail } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/users/verify/mail',
      summary: 'Ask for the link once more',
      tag,
      access: bySession,
      body: jsonBody({}),
      responses: {
        202: { description: 'It is sent, five times in an hour at most' },
        401: { description: 'No session token that holds' },
        ...mailNotConfigured,
      },
      async handle({ caller }) {
        accountRecovery.requireMail();
        accountRecovery.requestVerification(await userAccounts.userOf(caller));
        return { status: 202, body: { accepted: true } };
      },
    }),
  ];
}
