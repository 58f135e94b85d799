import { isIP } from 'node:net';
import { z } from 'zod';
import { isPublicAddress } from '../../egress/public-address.ts';
import { durationMs, httpUrl } from '../../lib/setting-schemas.ts';
import { modelPricesSchema } from '../catalog/price-overrides.ts';
import { builtInProviders } from '../index.ts';
import { kindSchema } from '../kind-schema.ts';
import { limits } from '../limits.ts';
import { headerFault } from '../operator-headers.ts';

/** The built-in providers that one of an account can be like. */
const ownProviderKinds = builtInProviders
  .filter(({ answerLocally }) => answerLocally === undefined)
  .map(({ name }) => name);

const listMax = limits.ownProviderListMax;
const kind = kindSchema(ownProviderKinds);
const plainText = z
  .string()
  .regex(/^[!-~](?:[ -~]{0,198}[!-~])?$/, 'must have 1 to 200 printable ASCII characters');
const location = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'must have lower case letters, digits and hyphens');

/** The API's form of the settings, which is the form of `weir.yaml`. Headers are read separately, since their values are secret. */
export const ownProviderFields = {
  kind: kind
    .optional()
    .describe('The built-in provider that it is like; without one, it has the API of OpenAI'),
  base_url: httpUrl
    .refine(
      (url) => url.length <= limits.ownProviderUrlMax,
      `must have at most ${limits.ownProviderUrlMax} characters`,
    )
    .optional()
    .describe('The address of its API, if it is not that of the kind'),
  models: z
    .array(plainText)
    .min(1)
    .max(listMax)
    .optional()
    .describe('The only models that it serves: names, and patterns with `*`'),
  prices: modelPricesSchema
    .refine((prices) => Object.keys(prices).length <= listMax, `must have at most ${listMax} models`)
    .optional()
    .describe('Prices and limits by model, in dollars per million tokens; `*` for all others'),
  timeouts: z
    .strictObject({
      connect: z.string().optional(),
      answer: z.string().optional(),
      silence: z.string().optional(),
    })
    .optional()
    .describe('Durations such as `30s`, up to those of the gateway'),
  stream_usage: z.enum(['asked', 'unasked']).optional().describe('How its streams get to report usage'),
  resources: z
    .array(location)
    .min(1)
    .max(listMax)
    .optional()
    .describe('Azure resources; the first is the default'),
  regions: z
    .array(location)
    .min(1)
    .max(listMax)
    .optional()
    .describe('Regions of Bedrock and Vertex; the first is the default'),
  deployments: z
    .record(plainText, plainText)
    .refine((named) => Object.keys(named).length <= listMax, `must have at most ${listMax} names`)
    .optional()
    .describe('The models behind the names of deployments'),
  api_version: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d(-preview)?$/, 'must be a date, such as 2024-10-21')
    .optional()
    .describe('The version of the API of Azure'),
} as const;

/** What an account has stored of a provider, without its headers. */
export const ownProviderSettings = z.strictObject(ownProviderFields).check(({ value, issues }) => {
  for (const { path, message } of faultsOf(value))
    issues.push({ code: 'custom', input: value, path: [...path], message });
});

export type OwnProviderSettings = z.infer<typeof ownProviderSettings>;

interface Fault {
  readonly path: readonly string[];
  readonly message: string;
}

/** Settings that don't fit the kind, and durations that can't be read. */
function faultsOf(settings: z.infer<z.ZodObject<typeof ownProviderFields>>): readonly Fault[] {
  const { kind: like = '', timeouts = {} } = settings;
  const fault = (field: string, message: string): Fault => ({ path: [field], message });
  const given = new Map(Object.entries(settings));
  const unfit = Object.entries(kindsOfFields).flatMap(([field, kinds]) =>
    given.get(field) === undefined || kinds.includes(like)
      ? []
      : [fault(field, `is only for providers of the kind ${kinds.join(' or ')}`)],
  );
  const slow = Object.entries(timeouts).flatMap(([name, text]) => {
    const read = durationMs.safeParse(text ?? '1s');
    return read.success ? [] : [{ path: ['timeouts', name], message: read.error.issues[0]?.message ?? '' }];
  });
  const hasAddress = settings.base_url !== undefined || (like !== '' && !hasLocalAddress(like));
  return [
    ...(hasAddress ? [] : [fault('base_url', 'is required: the provider has no public address of its own')]),
    ...unfit,
    ...slow,
  ];
}

const kindsOfFields: Readonly<Record<string, readonly string[]>> = {
  resources: ['azure'],
  regions: ['bedrock', 'vertex'],
  deployments: ['azure', 'bedrock', 'vertex'],
  api_version: ['azure'],
};

/** Servers of one's own, whose usual address is the gateway's machine. */
function hasLocalAddress(name: string): boolean {
  return builtInProviders.some((provider) => provider.name === name && provider.keyless);
}

/** What is wrong with an address that others than the operator choose; undefined if nothing is. */
export function publicAddressFault(baseUrl: string): string | undefined {
  const url = new URL(baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : 'must be a public address';
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/.test(host) || !host.includes('.')
    ? 'must be the name of a public host'
    : undefined;
}

/** Names with a value, or with null for the value that is stored. */
export const ownHeadersField = z
  .record(z.string(), z.string().nullable())
  .check(({ value, issues }) => {
    const entries = Object.entries(value);
    const names = entries.map(([name]) => name.toLowerCase());
    const characters = entries.reduce((sum, [name, text]) => sum + name.length + (text?.length ?? 0), 0);
    const add = (message: string, ...path: string[]) =>
      issues.push({ code: 'custom', input: value, path: [...path], message });
    if (entries.length > limits.ownHeadersMax || characters > limits.ownHeadersCharactersMax)
      add(
        `must be at most ${limits.ownHeadersMax} headers with ${limits.ownHeadersCharactersMax} characters in all`,
      );
    for (const [at, [name, text]] of entries.entries()) {
      const fault = ownHeaderFault(name.toLowerCase(), text ?? '');
      if (fault !== undefined) add(fault, name.slice(0, 100));
      else if (names.indexOf(name.toLowerCase()) < at) add('is given twice', name);
    }
  })
  .transform(
    (headers): ReadonlyMap<string, string | null> =>
      new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  )
  .describe('Headers of every request. Their values are never returned; null keeps the stored value');

function ownHeaderFault(name: string, value: string): string | undefined {
  if (name === 'authorization') return 'is written by Weir: store a provider key instead';
  if (refusedHeaders.has(name) || /^(?:x-forwarded-|sec-|proxy-)/.test(name)) return 'can’t be set';
  return headerFault(name, value);
}

/** What says who has sent a request, and from where: servers may trust the gateway. */
const refusedHeaders: ReadonlySet<string> = new Set([
  ...['cookie', 'cookie2', 'date', 'forwarded', 'origin', 'referer', 'x-provider-key', 'x-real-ip'],
]);
