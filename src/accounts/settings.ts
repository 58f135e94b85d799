import { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import { secretText } from '../lib/setting-schemas.ts';
import { combineSettings, envVariable } from '../lib/settings.ts';
import { isEmail } from './email.ts';

const rootSecret = z
  .string()
  .refine((text) => Buffer.byteLength(text) >= 32, 'must have at least 32 characters')
  .transform((text) => new Secret(text));

const adminToken = z
  .string()
  .refine((text) => text.length >= 16 && !/\s/.test(text), 'must have at least 16 characters and no spaces')
  .transform((text) => new Secret(text));

/** Settings of accounts and their credentials. */
export const accountSettings = {
  secret: envVariable('WEIR_SECRET', rootSecret.optional(), { at: 'accounts.secret', isSecret: true }),
  /** Still accepted for what was sealed and signed before the secret was changed. */
  previousSecret: envVariable('WEIR_SECRET_PREVIOUS', rootSecret.optional(), {
    at: 'accounts.previous_secret',
    isSecret: true,
  }),
  localToken: envVariable('WEIR_LOCAL_TOKEN', secretText.optional(), {
    at: 'accounts.local_token',
    isSecret: true,
  }),
  /** The operator's token; without one, cloud mode has no routes for operators. */
  adminToken: envVariable('WEIR_ADMIN_TOKEN', adminToken.optional(), {
    at: 'accounts.admin_token',
    isSecret: true,
  }),
  /** Who can sign up: anyone, nobody, or who was invited. Operators can create accounts in any case. */
  signUp: envVariable(
    'WEIR_SIGNUP',
    z.enum(['on', 'off', 'invite'], 'must be "on", "off" or "invite"').default('on'),
    'accounts.signup',
  ),
  keyPrefix: envVariable(
    'WEIR_KEY_PREFIX',
    z
      .string()
      .regex(/^[A-Za-z0-9]{2,3}$/, 'must be 2 or 3 letters or digits')
      .default('gw'),
    'accounts.key_prefix',
  ),
  /** Mail server and sender; undefined if no mail is sent. */
  mail: combineSettings(
    {
      url: envVariable(
        'WEIR_SMTP_URL',
        z
          .string()
          .refine(isSmtpUrl, 'must be a URL such as smtps://user:password@mail.example.com')
          .transform((text) => new Secret(text))
          .optional(),
        { at: 'mail.server', isSecret: true },
      ),
      from: envVariable(
        'WEIR_MAIL_FROM',
        z
          .string()
          .refine(isSender, 'must be an address such as weir@example.com, or Weir <weir@example.com>')
          .optional(),
        'mail.from',
      ),
    },
    ({ url, from }) => (url === undefined || from === undefined ? undefined : { url, from }),
  ),
} as const;

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.hostname !== '' && (url.protocol === 'smtp:' || url.protocol === 'smtps:');
}

function isSender(text: string): boolean {
  const named = /^[^<>"\r\n]*<([^<>]*)>$/.exec(text);
  return isEmail(named?.[1] ?? text);
}
