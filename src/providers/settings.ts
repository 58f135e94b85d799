import { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import { commaSeparatedList, durationMs, httpUrl, secretText } from '../lib/setting-schemas.ts';
import {
  combineSettings,
  envVariable,
  envVariablesByName,
  type PlaceOptions,
  type Setting,
} from '../lib/settings.ts';
import { PriceFileError, type PriceOverrides, readPriceOverrides } from './catalog/price-overrides.ts';

/** `name=model`, separated by commas. */
const modelsByName = commaSeparatedList.transform((items, context): ReadonlyMap<string, string> => {
  const named = new Map<string, string>();
  for (const item of items) {
    // Model names contain no `=`, customers' names may.
    const equals = item.lastIndexOf('=');
    if (equals > 0 && equals < item.length - 1)
      named.set(item.slice(0, equals).trim(), item.slice(equals + 1).trim());
    else context.addIssue('must be a list such as my-name=gpt-5-mini,other=gpt-4.1');
  }
  return named;
});

/** Keys separated by commas. A key that is JSON contains commas itself, and is the only one. */
const providerKeys = secretText.transform((text): readonly Secret[] => {
  const all = text.reveal();
  return all.startsWith('{')
    ? [text]
    : all.split(',').flatMap((key) => (key.trim() === '' ? [] : new Secret(key.trim())));
});

/** Provider addresses, keys, models and prices. */
export const providerSettings = {
  /** Addresses that replace a provider's own; an unknown name defines a new provider. */
  baseUrls: envVariablesByName('WEIR_*_BASE_URL', httpUrl, 'providers.*.base_url'),
  /** How to get a provider's streams to report usage, where the built-in setting is missing or wrong. */
  streamUsage: envVariablesByName(
    'WEIR_*_STREAM_USAGE',
    z.enum(['asked', 'unasked'], 'must be asked or unasked'),
    'providers.*.stream_usage',
  ),
  /** The operator's first credential of each provider. */
  credentials: operatorKeys(([first]) => first),
  /** All credentials of the providers that have several. */
  keyPools: operatorKeys((keys) => (keys.length > 1 ? keys : undefined)),
  /** Allowed locations in customers' keys by provider; the first is the default. */
  resources: cloudVariables('RESOURCES', ['azure'], commaSeparatedList, 'list'),
  regions: cloudVariables('REGIONS', ['bedrock', 'vertex'], commaSeparatedList, 'list'),
  /** Models behind customers' deployment names, by provider. */
  deployments: cloudVariables('DEPLOYMENTS', ['azure', 'bedrock', 'vertex'], modelsByName, 'map'),
  apiVersions: cloudVariables(
    'API_VERSION',
    ['azure'],
    z.string().regex(/^\d{4}-\d\d-\d\d(-preview)?$/, 'must be a date, such as 2024-10-21'),
  ),
  /** Google's token endpoint for service accounts; change it only for tests and proxies. */
  tokenUrl: envVariable('WEIR_VERTEX_TOKEN_URL', httpUrl.optional(), 'providers.vertex.token_url'),
  /** Maximum silence of a provider. Clients wait ten minutes, and have to time out first. */
  upstreamTimeoutMs: envVariable(
    'WEIR_UPSTREAM_TIMEOUT',
    durationMs.default(600_000),
    'server.upstream_timeout',
  ),
  /** The operator's own prices. */
  prices: envVariable('WEIR_PRICES', z.string().min(1).transform(loadPriceOverrides).optional(), {
    at: 'prices',
    form: 'document',
  }),
  /** What happens to calls to models without a known price. */
  unknownModels: envVariable(
    'WEIR_UNKNOWN_MODELS',
    z.enum(['estimate', 'refuse'], 'must be estimate or refuse').default('estimate'),
    'unknown_models',
  ),
} as const;

/** By provider; two variables can also have the names of their vendors' SDKs. */
function operatorKeys<Value>(
  select: (keys: readonly Secret[]) => Value | undefined,
): Setting<ReadonlyMap<string, Value>> {
  const fields = {
    named: envVariablesByName('*_API_KEY', providerKeys, {
      at: 'providers.*.keys',
      form: 'list',
      isSecret: true,
    }),
    azure: envVariable('AZURE_OPENAI_API_KEY', providerKeys.optional(), {
      at: 'providers.azure.keys',
      form: 'list',
      isSecret: true,
    }),
    bedrock: envVariable('AWS_BEARER_TOKEN_BEDROCK', providerKeys.optional(), {
      at: 'providers.bedrock.keys',
      form: 'list',
      isSecret: true,
    }),
  };
  return combineSettings(fields, ({ named, ...others }) => {
    const all = new Map<string, Value>();
    for (const [name, keys] of [...named, ...Object.entries(others)]) {
      const value = keys === undefined || all.has(name) ? undefined : select(keys);
      if (value !== undefined) all.set(name, value);
    }
    return all;
  });
}

/** `WEIR_<CLOUD>_<NAME>` for these clouds only: settings of modules may have the same suffix. */
function cloudVariables<Value>(
  name: string,
  clouds: readonly ('azure' | 'bedrock' | 'vertex')[],
  schema: z.ZodType<Value>,
  form?: PlaceOptions['form'],
): Setting<ReadonlyMap<string, Value>> {
  const byCloud = clouds.map((cloud) => [
    cloud,
    envVariable(`WEIR_${cloud.toUpperCase()}_${name}`, schema.optional(), {
      at: `providers.${cloud}.${name.toLowerCase()}`,
      ...(form !== undefined && { form }),
    }),
  ]);
  const fields: Readonly<Record<string, Setting<Value | undefined>>> = Object.fromEntries(byCloud);
  return combineSettings(fields, (settingValues) => {
    const set = new Map<string, Value>();
    for (const [cloud, value] of Object.entries(settingValues))
      if (value !== undefined) set.set(cloud, value);
    return set;
  });
}

function loadPriceOverrides(path: string, context: z.RefinementCtx): PriceOverrides {
  try {
    return readPriceOverrides(path);
  } catch (thrown) {
    if (!(thrown instanceof PriceFileError)) throw thrown;
    for (const fault of thrown.issues) context.addIssue(fault);
    return z.NEVER;
  }
}
