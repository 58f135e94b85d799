import { z } from 'zod';
import { Secret } from '../kernel/secret.ts';
import { secret } from '../kernel/setting-schemas.ts';
import { variable } from '../kernel/settings.ts';

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
} as const;
