import { z } from 'zod';
import { commaSeparatedList, durationMs, durationOrNoneMs, httpUrl } from '../lib/setting-schemas.ts';
import { envVariable } from '../lib/settings.ts';
import { parseTrustedProxies } from './trusted-proxies.ts';

/** Settings of the HTTP server. */
export const serverSettings = {
  host: envVariable('HOST', z.string().min(1).default('127.0.0.1'), 'server.host'),
  port: envVariable(
    'PORT',
    z.coerce.number('must be a port number').int().min(0).max(65_535).default(3099),
    'server.port',
  ),
  /** The public URL, if it differs from the listening address. */
  baseUrl: envVariable('WEIR_BASE_URL', httpUrl.optional(), 'server.base_url'),
  allowedHosts: envVariable('WEIR_ALLOWED_HOSTS', commaSeparatedList.default([]).transform(lowerCaseAll), {
    at: 'server.allowed_hosts',
    form: 'list',
  }),
  corsOrigins: envVariable(
    'WEIR_CORS_ORIGINS',
    commaSeparatedList
      .refine((origins) => origins.every(isOrigin), 'must be origins such as https://app.example.com')
      .default([])
      .transform(lowerCaseAll),
    { at: 'server.cors_origins', form: 'list' },
  ),
  /** Proxies whose `x-forwarded-for` is trusted. */
  trustedProxies: envVariable(
    'WEIR_TRUST_PROXY',
    z
      .string()
      .default('off')
      .transform((text, context) => {
        const trusted = parseTrustedProxies(text);
        if (trusted !== undefined) return trusted;
        context.addIssue('must be off, a number of hops, or networks such as 10.0.0.0/8');
        return z.NEVER;
      }),
    { at: 'server.trust_proxy', form: 'list' },
  ),
  /** Whether Weir's own parser or `node:http` reads requests. */
  httpImplementation: envVariable(
    'WEIR_HTTP',
    z.enum(['own', 'node'], 'must be own or node').default('own'),
    'server.http',
  ),
  /** Whether to serve the dashboard. */
  dashboard: envVariable(
    'WEIR_DASHBOARD',
    z.enum(['on', 'off'], 'must be on or off').default('on'),
    'server.dashboard',
  ),
  /** How long a stream may be silent before a keep-alive: many proxies cut silent streams after a minute. */
  keepAliveMs: envVariable('WEIR_KEEP_ALIVE', durationMs.default(15_000), 'server.keep_alive'),
  /** How long a realtime session may last: OpenAI ends its own after an hour. */
  realtimeLifeMs: envVariable('WEIR_REALTIME_LIFE', durationMs.default(3_600_000), 'server.realtime_life'),
  /** How long one may be without a message in either direction. */
  realtimeIdleMs: envVariable('WEIR_REALTIME_IDLE', durationMs.default(900_000), 'server.realtime_idle'),
  /** The largest message of one: OpenAI takes 15 MiB of sound at once, in base64. */
  realtimeMessageBytesMax: envVariable(
    'WEIR_REALTIME_MESSAGE_BYTES',
    z.coerce
      .number('must be a number of bytes')
      .int()
      .min(1024, 'must be at least 1024')
      .max(67_108_864, 'must be at most 67108864')
      .default(20_971_520),
    'server.realtime_message_bytes',
  ),
  /** How long open calls may continue during shutdown. */
  drainMs: envVariable('WEIR_DRAIN', durationMs.default(30_000), 'server.drain'),
  /** How long calls are still accepted after `/ready` fails; undefined selects a default. */
  drainNoticeMs: envVariable('WEIR_DRAIN_NOTICE', durationOrNoneMs.optional(), 'server.drain_notice'),
} as const;

function lowerCaseAll(items: readonly string[]): readonly string[] {
  return items.map((item) => item.toLowerCase());
}

function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text.toLowerCase();
}
