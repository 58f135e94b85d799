import { z } from 'zod';
import { parseDuration } from './kernel/duration.ts';
import { limits } from './kernel/limits.ts';
import { Secret } from './kernel/secret.ts';

/** Everything that can be set from outside, checked once. */
export interface Settings {
  readonly mode: 'local';
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | undefined;
  readonly dataDir: string;
  readonly secret: Secret | undefined;
  readonly localToken: Secret | undefined;
  readonly keyPrefix: string;
  readonly pipeline: string | undefined;
  readonly modulePackages: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly metricsToken: Secret | undefined;
  /** How long a stream may be silent before it carries a sign of life. */
  readonly keepAliveMs: number;
  /** How long a provider may be silent before it is given up. */
  readonly upstreamTimeoutMs: number;
  /** How long open calls get after the first signal to stop. */
  readonly drainMs: number;
  readonly logLevel: string;
  readonly revision: string;
  /** Addresses that replace a provider's own, by provider; a name we don't know makes a provider of its own. */
  readonly baseUrls: ReadonlyMap<string, string>;
  /** Operator credentials, by provider. */
  readonly credentials: ReadonlyMap<string, Secret>;
  /** Variables with our prefix that mean nothing to this version. */
  readonly unknownVariables: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Lists every fault at once, each with its variable. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const durationMs = z.string().transform((text, context) => {
  const ms = (parseDuration(text) ?? 0) * 1000;
  if (ms > 0 && ms <= limits.timerMsMax) return ms;
  context.addIssue('must be a duration such as 500ms, 30s, 5m, 24h or 7d, and 24d at most');
  return z.NEVER;
});
const httpUrl = z.string().refine(isHttpUrl, 'must be an http or https address');

const schema = z.object({
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(3099),
  HOST: z.string().min(1).default('127.0.0.1'),
  WEIR_MODE: z
    .enum(['local'], 'must be "local": cloud mode is not part of this version yet')
    .default('local'),
  WEIR_LOCAL_TOKEN: z.string().min(1).optional(),
  WEIR_DATA_DIR: z.string().min(1).default('./data'),
  WEIR_SECRET: z.string().min(32, 'must have 32 characters or more').optional(),
  WEIR_BASE_URL: httpUrl.optional(),
  WEIR_KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9]{2,3}$/, 'must be 2 or 3 letters or digits')
    .default('gw'),
  WEIR_PIPELINE: z.string().max(limits.pipelineTextMax).optional(),
  WEIR_MODULES: list.default([]),
  WEIR_ALLOWED_HOSTS: list.default([]),
  WEIR_CORS_ORIGINS: list
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://app.example.com')
    .default([]),
  WEIR_METRICS_TOKEN: z.string().min(1).optional(),
  // Proxies on the way cut connections that are silent for a minute or less.
  WEIR_KEEP_ALIVE: durationMs.default(15_000),
  // Clients wait ten minutes; the gateway must not give up before them.
  WEIR_UPSTREAM_TIMEOUT: durationMs.default(600_000),
  WEIR_DRAIN: durationMs.default(30_000),
  WEIR_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent')
    .default('info'),
  WEIR_REVISION: z.string().min(1).default('dev'),
});

/** An empty value counts as absent: that is how a variable is unset in a compose file. */
export function readSettings(environment: Environment): Settings {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const read = schema.safeParse(present);
  const faults = read.error?.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`) ?? [];
  const baseUrls = new Map<string, string>();
  const credentials = new Map<string, Secret>();
  for (const [variable, value] of Object.entries(present)) {
    const provider = /^WEIR_([A-Z][A-Z0-9]*)_BASE_URL$/.exec(variable)?.[1]?.toLowerCase();
    const owner = /^([A-Z][A-Z0-9]*)_API_KEY$/.exec(variable)?.[1]?.toLowerCase();
    if (owner !== undefined) credentials.set(owner, new Secret(String(value)));
    if (provider === undefined) continue;
    if (!isHttpUrl(String(value))) faults.push(`${variable}: must be an http or https address`);
    else if (read.data !== undefined && pointsHere(String(value), read.data))
      faults.push(`${variable}: points back at this gateway`);
    else baseUrls.set(provider, String(value).replace(/\/+$/, ''));
  }
  if (read.data === undefined || faults.length > 0) throw new SettingsError(faults);
  const known = read.data;
  return {
    mode: known.WEIR_MODE,
    host: known.HOST,
    port: known.PORT,
    baseUrl: known.WEIR_BASE_URL?.replace(/\/+$/, ''),
    dataDir: known.WEIR_DATA_DIR,
    secret: secretOf(known.WEIR_SECRET),
    localToken: secretOf(known.WEIR_LOCAL_TOKEN),
    keyPrefix: known.WEIR_KEY_PREFIX,
    pipeline: known.WEIR_PIPELINE,
    modulePackages: known.WEIR_MODULES,
    allowedHosts: known.WEIR_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
    corsOrigins: known.WEIR_CORS_ORIGINS.map((origin) => origin.toLowerCase()),
    metricsToken: secretOf(known.WEIR_METRICS_TOKEN),
    keepAliveMs: known.WEIR_KEEP_ALIVE,
    upstreamTimeoutMs: known.WEIR_UPSTREAM_TIMEOUT,
    drainMs: known.WEIR_DRAIN,
    logLevel: known.WEIR_LOG_LEVEL,
    revision: known.WEIR_REVISION,
    baseUrls,
    credentials,
    unknownVariables: Object.keys(present).filter(isUnknown),
  };
}

/** An upstream that is this gateway would answer itself for ever. */
function pointsHere(upstream: string, { HOST, PORT, WEIR_BASE_URL }: z.infer<typeof schema>): boolean {
  const { hostname, port, protocol, origin } = new URL(upstream);
  if (WEIR_BASE_URL !== undefined && new URL(WEIR_BASE_URL).origin === origin) return true;
  const upstreamPort = Number(port || (protocol === 'https:' ? 443 : 80));
  return upstreamPort === PORT && (loopback.test(hostname) || hostname === HOST.toLowerCase());
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

function secretOf(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value);
}

function isUnknown(variable: string): boolean {
  return (
    variable.startsWith('WEIR_') &&
    !Object.hasOwn(schema.shape, variable) &&
    !/^WEIR_[A-Z0-9]+_BASE_URL$/.test(variable)
  );
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.search === '' &&
    url.hash === ''
  );
}

function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text.toLowerCase();
}
