import { z } from 'zod';
import { durationMs, durationOrNoneMs, httpUrl, list } from '../kernel/setting-schemas.ts';
import { variable } from '../kernel/settings.ts';
import { readTrustedProxies } from './trusted-proxies.ts';

/** Where it listens, to whom, and for how long. */
export const serverSettings = {
  host: variable('HOST', z.string().min(1).default('127.0.0.1')),
  port: variable('PORT', z.coerce.number('must be a port number').int().min(0).max(65_535).default(3099)),
  /** Where clients find it, if that isn't where it listens. */
  baseUrl: variable('WEIR_BASE_URL', httpUrl.optional()),
  allowedHosts: variable('WEIR_ALLOWED_HOSTS', list.default([]).transform(inLowerCase)),
  corsOrigins: variable(
    'WEIR_CORS_ORIGINS',
    list
      .refine((origins) => origins.every(isOrigin), 'must be origins such as https://app.example.com')
      .default([])
      .transform(inLowerCase),
  ),
  /** Proxies in front of this gateway that tell who the client is. */
  trustedProxies: variable(
    'WEIR_TRUST_PROXY',
    z
      .string()
      .default('off')
      .transform((text, context) => {
        const trusted = readTrustedProxies(text);
        if (trusted !== undefined) return trusted;
        context.addIssue('must be off, a number of hops, or networks such as 10.0.0.0/8');
        return z.NEVER;
      }),
  ),
  /** Whether browsers find the dashboard here. */
  dashboard: variable('WEIR_DASHBOARD', z.enum(['on', 'off'], 'must be on or off').default('on')),
  /** How long a stream may be silent before it carries a sign of life: proxies on the way cut silent ones after a minute. */
  keepAliveMs: variable('WEIR_KEEP_ALIVE', durationMs.default(15_000)),
  /** How long open calls get when it is to stop and takes no more. */
  drainMs: variable('WEIR_DRAIN', durationMs.default(30_000)),
  /** How long it still takes calls before that, while balancers are told to send none; undefined where it isn't said. */
  drainNoticeMs: variable('WEIR_DRAIN_NOTICE', durationOrNoneMs.optional()),
} as const;

function inLowerCase(items: readonly string[]): readonly string[] {
  return items.map((item) => item.toLowerCase());
}

function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text.toLowerCase();
}
