import { z } from 'zod';
import { Secret } from '../kernel/secret.ts';
import { secret } from '../kernel/setting-schemas.ts';
import { combined, variable } from '../kernel/settings.ts';
import { isEmail } from './email.ts';

const rootSecret = z
  .string()
  .refine((text) => Buffer.byteLength(text) >= 32, 'must have 32 characters or more')
  .transform((text) => new Secret(text));

/** What callers are known by. */
export const accountSettings = {
  secret: variable('WEIR_SECRET', rootSecret.optional()),
  /** Still opens what was sealed and signed before the secret was changed. */
  previousSecret: variable('WEIR_SECRET_PREVIOUS', rootSecret.optional()),
  localToken: variable('WEIR_LOCAL_TOKEN', secret.optional()),
  keyPrefix: variable(
    'WEIR_KEY_PREFIX',
    z
      .string()
      .regex(/^[A-Za-z0-9]{2,3}$/, 'must be 2 or 3 letters or digits')
      .default('gw'),
  ),
  /** Who takes mails to people, and from whom they are; undefined where none are sent. */
  mail: combined(
    {
      url: variable(
        'WEIR_SMTP_URL',
        z
          .string()
          .refine(isSmtpUrl, 'must be an address such as smtps://user:password@mail.example.com')
          .transform((text) => new Secret(text))
          .optional(),
      ),
      from: variable(
        'WEIR_MAIL_FROM',
        z
          .string()
          .refine(isSender, 'must be an address such as weir@example.com, or Weir <weir@example.com>')
          .optional(),
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
