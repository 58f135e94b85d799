import { z } from 'zod';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import type { AccountRecovery } from '../../../accounts/mail/account-recovery.ts';
import type { Session } from '../../../accounts/session-tokens.ts';
import type { UserAccounts } from '../../../accounts/user-accounts.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { MailboxProof } from '../../../kernel/ports/sessions.ts';
import { limits } from '../../limits.ts';
import { type AccessRule, byAddress, bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiResponse, ApiRoute } from '../route.ts';
import { textSchema } from '../text.ts';
import { newPassword } from './users.ts';

const token = textSchema({ max: limits.mailedTokenCharactersMax }).describe(
  'The value after #token= in the link',
);

const verificationSchema = z.strictObject({
  verified: z.boolean().describe('Whether the email address is verified'),
  mail: z.boolean().describe('Whether this gateway sends mail'),
});

const mailNotConfigured = {
  503: { description: 'Mail is not configured: detail `mail_not_configured`' },
};
const errorResponses = {
  400: { description: 'The body is invalid, or the link was used or has expired: code `invalid_token`' },
  429: { description: 'Too many attempts' },
};

export interface RecoveryRouteParts {
  readonly accounts: UserAccounts;
  readonly recovery: AccountRecovery;
  /** Deletes stored content that could appear in an account's prompts or answers. */
  forgetContent(accountId: string): Promise<void>;
}

/** Account recovery and verification by mailed links. */
export function recoveryRoutes(parts: RecoveryRouteParts): readonly ApiRoute[] {
  const { accounts: userAccounts, recovery: accountRecovery } = parts;
  const tag = 'Accounts';
  const settle = async ({ accountIds, isTakeover }: MailboxProof): Promise<ApiResponse> => {
    if (isTakeover) for (const accountId of accountIds) await parts.forgetContent(accountId);
    return { status: 204, audit: { account: accountIds[0] } };
  };
  const rateLimited = byAddress((address) => accountRecovery.countAttempt(address));
  const rateLimitedWithSession: AccessRule<Session | undefined> = {
    name: 'public',
    async check({ access, ...request }) {
      await accountRecovery.countAttempt(request.remoteAddress);
      return access.session(request).catch((error: unknown) => {
        if (GatewayError.is(error) && error.status < 500) return undefined;
        throw error;
      });
    },
  };
  return [
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/users/password-reset',
      summary: 'Request a password reset link',
      tag,
      access: byAddress(async (address) => {
        accountRecovery.requireMail();
        await accountRecovery.countAttempt(address);
      }),
      body: jsonBody({ email: textSchema({ max: accountsLimits.emailCharactersMax }) }),
      responses: {
        202: { description: 'Accepted; the link is sent only if the account exists' },
        400: { description: 'The body is invalid' },
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
      audit: 'password.reset',
      path: '/v1/users/password-reset/confirm',
      summary:
        'Set a new password with a mailed link; ends all sessions and revokes what was created before the address was verified',
      tag,
      access: rateLimited,
      body: jsonBody({ token, password: newPassword }),
      responses: { 204: { description: 'The password is set' }, ...errorResponses },
      handle: async ({ body }) => settle(await accountRecovery.resetPassword(body.token, body.password)),
    }),
    defineRoute({
      method: 'POST',
      audit: 'email.verified',
      path: '/v1/users/verify',
      summary: 'Verify the email address with a mailed link',
      tag,
      access: rateLimitedWithSession,
      body: jsonBody({ token }),
      responses: {
        204: {
          description:
            'Verified. The first time, API keys and other sessions are revoked; without a session of the account, also its password and provider keys',
        },
        ...errorResponses,
      },
      handle: async ({ caller, body }) => settle(await accountRecovery.verifyEmail(body.token, caller)),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/users/verify',
      summary: 'Get whether the email address is verified',
      tag,
      access: bySession('person'),
      body: noBody,
      responses: {
        200: { description: 'The current state', schema: verificationSchema },
        401: { description: 'Missing or invalid session token' },
      },
      async handle({ caller }) {
        const { verifiedAtMs } = (await userAccounts.memberOf(caller)).identity;
        return { body: { verified: verifiedAtMs !== undefined, mail: accountRecovery.canMail } };
      },
    }),
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/users/verify/mail',
      summary: 'Request another verification link',
      tag,
      access: bySession('person'),
      body: jsonBody({}),
      responses: {
        202: { description: 'Accepted; at most five links per hour are sent' },
        401: { description: 'Missing or invalid session token' },
        ...mailNotConfigured,
      },
      async handle({ caller }) {
        accountRecovery.requireMail();
        accountRecovery.requestVerification((await userAccounts.memberOf(caller)).identity);
        return { status: 202, body: { accepted: true } };
      },
    }),
  ];
}
