import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { usualLimit } from '../billing/tiers.ts';
import { parseDuration } from '../kernel/duration.ts';
import { limits } from '../kernel/limits.ts';
import type { TierId } from '../kernel/ports/records.ts';
import type { StreamUsage } from '../kernel/provider.ts';
import { Secret } from '../kernel/secret.ts';
import type { UnknownModels } from '../providers/catalog/check-priced.ts';
import {
  PriceFileError,
  type PriceOverrides,
  readPriceOverrides,
} from '../providers/catalog/price-overrides.ts';
import { readTrustedProxies, type TrustedProxies } from '../server/trusted-proxies.ts';

/** Everything that can be set from outside, checked once. */
export interface Settings {
  readonly mode: 'local' | 'cloud';
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | undefined;
  readonly dataDir: string;
  /** Processes that share the port. */
  readonly workers: number;
  /** Servers for many replicas; undefined keeps everything in the data folder and in this process. */
  readonly stores: StoreAddresses | undefined;
  readonly secret: Secret | undefined;
  /** Still opens what was sealed and signed before the secret was changed. */
  readonly previousSecret: Secret | undefined;
  readonly localToken: Secret | undefined;
  readonly keyPrefix: string;
  readonly pipeline: string | undefined;
  /** The operator's own prices. */
  readonly prices: PriceOverrides | undefined;
  /** What happens to calls of models without a known price. */
  readonly unknownModels: UnknownModels;
  readonly modulePackages: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly metricsToken: Secret | undefined;
  /** Proxies in front of this gateway that tell who the client is. */
  readonly trustedProxies: TrustedProxies;
  /** Whether calls are remembered in the request log, how long, and how many of them. */
  readonly requestLog: { readonly isOn: boolean; readonly keptMs: number; readonly rowsMax: number };
  /** Calls in a month, or in a paid period. */
  readonly tierLimits: Readonly<Record<TierId, number>>;
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
  /** How streams of a provider come to tell their usage, by provider, where its own data doesn't say or is wrong. */
  readonly streamUsage: ReadonlyMap<string, StreamUsage>;
  /** Operator credentials, by provider. */
  readonly credentials: ReadonlyMap<string, Secret>;
  /** Variables with our prefix that mean nothing to this version. */
  readonly unknownVariables: readonly string[];
}

interface StoreAddresses {
  readonly database: string;
  readonly redis: string;
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
const secretText = z
  .string()
  .refine((text) => Buffer.byteLength(text) >= 32, 'must have 32 characters or more');
const workers = z.string().transform((text, context) => {
  const count = text === 'auto' ? Math.min(availableParallelism(), limits.workersMax) : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= limits.workersMax) return count;
  context.addIssue(`must be auto, or a number from 1 to ${limits.workersMax}`);
  return z.NEVER;
});
const callsInPeriod = z.coerce.number('must be a number of calls').int().min(0);

const schema = z.object({
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(3099),
  HOST: z.string().min(1).default('127.0.0.1'),
  WEIR_MODE: z.enum(['local', 'cloud'], 'must be "local" or "cloud"').default('local'),
  WEIR_LOCAL_TOKEN: z.string().min(1).optional(),
  WEIR_DATA_DIR: z.string().min(1).default('./data'),
  WEIR_WORKERS: workers.default(1),
  DATABASE_URL: urlOf(['postgres:', 'postgresql:'], 'must be a postgres:// address').optional(),
  REDIS_URL: urlOf(['redis:', 'rediss:'], 'must be a redis:// or rediss:// address').optional(),
  WEIR_SECRET: secretText.optional(),
  WEIR_SECRET_PREVIOUS: secretText.optional(),
  WEIR_BASE_URL: httpUrl.optional(),
  WEIR_KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9]{2,3}$/, 'must be 2 or 3 letters or digits')
    .default('gw'),
  WEIR_PIPELINE: z.string().max(limits.pipelineTextMax).optional(),
  WEIR_PRICES: z.string().min(1).optional(),
  WEIR_UNKNOWN_MODELS: z.enum(['estimate', 'refuse'], 'must be estimate or refuse').default('estimate'),
  WEIR_MODULES: list.default([]),
  WEIR_ALLOWED_HOSTS: list.default([]),
  WEIR_CORS_ORIGINS: list
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://app.example.com')
    .default([]),
  WEIR_METRICS_TOKEN: z.string().min(1).optional(),
  WEIR_TRUST_PROXY: z.string().optional(),
  WEIR_LOG_DAYS: z.coerce.number('must be a number of days').int().min(0).max(3650).default(30),
  WEIR_LOG_ROWS: z.coerce.number('must be a number of calls').int().min(1000).default(1_000_000),
  WEIR_TIER_FREE_LIMIT: callsInPeriod.default(usualLimit('free')),
  WEIR_TIER_PRO_LIMIT: callsInPeriod.default(usualLimit('pro')),
  WEIR_TIER_TEAM_LIMIT: callsInPeriod.default(usualLimit('team')),
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
  const streamUsage = new Map<string, StreamUsage>();
  const credentials = new Map<string, Secret>();
  for (const [variable, value] of Object.entries(present)) {
    const provider = /^WEIR_([A-Z][A-Z0-9]*)_BASE_URL$/.exec(variable)?.[1]?.toLowerCase();
    const owner = /^([A-Z][A-Z0-9]*)_API_KEY$/.exec(variable)?.[1]?.toLowerCase();
    if (owner !== undefined) credentials.set(owner, new Secret(String(value)));
    const streaming = /^WEIR_([A-Z][A-Z0-9]*)_STREAM_USAGE$/.exec(variable)?.[1]?.toLowerCase();
    if (streaming !== undefined) {
      if (value === 'asked' || value === 'unasked') streamUsage.set(streaming, value);
      else faults.push(`${variable}: must be asked or unasked`);
    }
    if (provider === undefined) continue;
    if (!isHttpUrl(String(value))) faults.push(`${variable}: must be an http or https address`);
    else if (read.data !== undefined && pointsHere(String(value), read.data))
      faults.push(`${variable}: points back at this gateway`);
    else baseUrls.set(provider, String(value).replace(/\/+$/, ''));
  }
  const trustedProxies = readTrustedProxies(present.WEIR_TRUST_PROXY ?? 'off');
  if (trustedProxies === undefined)
    faults.push('WEIR_TRUST_PROXY: must be off, a number of hops, or networks such as 10.0.0.0/8');
  if (read.data !== undefined) faults.push(...faultsTogether(read.data));
  const prices = readPrices(present.WEIR_PRICES, faults);
  if (read.data === undefined || trustedProxies === undefined || faults.length > 0)
    throw new SettingsError(faults);
  const known = read.data;
  return {
    mode: known.WEIR_MODE,
    host: known.HOST,
    port: known.PORT,
    baseUrl: known.WEIR_BASE_URL?.replace(/\/+$/, ''),
    dataDir: known.WEIR_DATA_DIR,
    workers: known.WEIR_WORKERS,
    stores: storesOf(known),
    secret: secretOf(known.WEIR_SECRET),
    previousSecret: secretOf(known.WEIR_SECRET_PREVIOUS),
    localToken: secretOf(known.WEIR_LOCAL_TOKEN),
    keyPrefix: known.WEIR_KEY_PREFIX,
    pipeline: known.WEIR_PIPELINE,
    prices,
    unknownModels: known.WEIR_UNKNOWN_MODELS,
    modulePackages: known.WEIR_MODULES,
    allowedHosts: known.WEIR_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
    corsOrigins: known.WEIR_CORS_ORIGINS.map((origin) => origin.toLowerCase()),
    metricsToken: secretOf(known.WEIR_METRICS_TOKEN),
    trustedProxies,
    requestLog: {
      isOn: known.WEIR_LOG_DAYS > 0,
      keptMs: known.WEIR_LOG_DAYS * 86_400_000,
      rowsMax: known.WEIR_LOG_ROWS,
    },
    tierLimits: {
      free: known.WEIR_TIER_FREE_LIMIT,
      pro: known.WEIR_TIER_PRO_LIMIT,
      team: known.WEIR_TIER_TEAM_LIMIT,
    },
    keepAliveMs: known.WEIR_KEEP_ALIVE,
    upstreamTimeoutMs: known.WEIR_UPSTREAM_TIMEOUT,
    drainMs: known.WEIR_DRAIN,
    logLevel: known.WEIR_LOG_LEVEL,
    revision: known.WEIR_REVISION,
    baseUrls,
    streamUsage,
    credentials,
    unknownVariables: Object.keys(present).filter(isUnknown),
  };
}

function readPrices(path: string | undefined, faults: string[]): PriceOverrides | undefined {
  try {
    return path === undefined ? undefined : readPriceOverrides(path);
  } catch (thrown) {
    if (!(thrown instanceof PriceFileError)) throw thrown;
    faults.push(...thrown.faults.map((fault) => `WEIR_PRICES: ${fault}`));
    return undefined;
  }
}

type Known = z.infer<typeof schema>;

/** What is right by itself and wrong beside something else. */
function faultsTogether(known: Known): readonly string[] {
  const faults: string[] = [];
  if ((known.DATABASE_URL === undefined) !== (known.REDIS_URL === undefined))
    faults.push('DATABASE_URL and REDIS_URL: set both, or neither');
  if (known.DATABASE_URL === undefined) return faults;
  if (known.WEIR_MODE === 'local')
    faults.push('DATABASE_URL: local mode keeps everything in its data folder');
  if (known.WEIR_SECRET === undefined)
    faults.push('WEIR_SECRET: must be set with DATABASE_URL, the same on every replica');
  if (known.WEIR_BASE_URL === undefined)
    faults.push('WEIR_BASE_URL: must be set with DATABASE_URL, to the address that clients use');
  return faults;
}

function storesOf({ DATABASE_URL: database, REDIS_URL: redis }: Known): StoreAddresses | undefined {
  return database === undefined || redis === undefined ? undefined : { database, redis };
}

/** An upstream that is this gateway would answer itself for ever. */
function pointsHere(upstream: string, { HOST, PORT, WEIR_BASE_URL }: Known): boolean {
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
    !/^WEIR_[A-Z0-9]+_(BASE_URL|STREAM_USAGE)$/.test(variable)
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

function urlOf(protocols: readonly string[], message: string) {
  return z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), message);
}

function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text.toLowerCase();
}
