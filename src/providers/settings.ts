import { z } from 'zod';
import type { ProviderTimeouts } from '../kernel/provider.ts';
import { commaSeparatedList, durationMs, httpUrl } from '../lib/setting-schemas.ts';
import {
  combineSettings,
  envVariable,
  envVariablesByName,
  type PlaceOptions,
  type Setting,
} from '../lib/settings.ts';
import {
  modelPrices,
  modelPricesSchema,
  PriceOverrides,
  priceFile,
  priceFileSchema,
} from './catalog/price-overrides.ts';
import { builtInProviders } from './index.ts';
import { kindSchema } from './kind-schema.ts';
import { offeredModels } from './offered-models.ts';
import { headerVariable } from './operator-headers.ts';
import { keyListSchema, type OperatorKey, operatorKeys } from './operator-keys.ts';
import { isPassThroughText, passThroughFault, readPassThrough } from './pass-through.ts';

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

const keyForm = { form: 'keys', document: keyListSchema, isSecret: true } as const;

const kindNames = builtInProviders.filter(({ name }) => name !== 'demo').map(({ name }) => name);
const kind = kindSchema(kindNames);

/** Provider addresses, keys, models and prices. */
export const providerSettings = {
  /** Addresses that replace a provider's own; an unknown name defines a new provider. */
  baseUrls: envVariablesByName('WEIR_*_BASE_URL', httpUrl, 'providers.*.base_url'),
  /** The built-in provider that one with another name is like. */
  kinds: envVariablesByName('WEIR_KIND_*', kind, 'providers.*.kind'),
  /** How to get a provider's streams to report usage, where the built-in setting is missing or wrong. */
  streamUsage: envVariablesByName(
    'WEIR_*_STREAM_USAGE',
    z.enum(['asked', 'unasked'], 'must be asked or unasked'),
    'providers.*.stream_usage',
  ),
  /** The operator's first credential of each provider. */
  credentials: operatorKeysBy(([first]) => first?.secret),
  /** All credentials of the providers that have several. */
  keyPools: operatorKeysBy((keys) => (keys.length > 1 ? keys : undefined)),
  /** Headers of all requests to a provider. */
  headers: envVariablesByName('WEIR_HEADERS_*', headerVariable, {
    at: 'providers.*.headers',
    form: 'headers',
    isSecret: true,
  }),
  timeouts: combineSettings(
    {
      connectMs: envVariablesByName('WEIR_CONNECT_TIMEOUT_*', durationMs, 'providers.*.timeouts.connect'),
      answerMs: envVariablesByName('WEIR_ANSWER_TIMEOUT_*', durationMs, 'providers.*.timeouts.answer'),
      silenceMs: envVariablesByName('WEIR_SILENCE_TIMEOUT_*', durationMs, 'providers.*.timeouts.silence'),
    },
    (byKind): ReadonlyMap<string, ProviderTimeouts> => {
      const byProvider = new Map<string, ProviderTimeouts>();
      for (const [kindOfTimeout, values] of Object.entries(byKind))
        for (const [name, ms] of values)
          byProvider.set(name, { ...byProvider.get(name), [kindOfTimeout]: ms });
      return byProvider;
    },
  ),
  /** The only models that a provider serves. */
  offered: envVariablesByName('WEIR_MODELS_*', commaSeparatedList.transform(offeredModels), {
    at: 'providers.*.models',
    form: 'list',
  }),
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
  prices: combineSettings(
    {
      all: envVariable('WEIR_PRICES', priceFile.optional(), {
        at: 'prices',
        form: 'document',
        document: priceFileSchema,
      }),
      byProvider: envVariablesByName('WEIR_PRICES_*', modelPrices, {
        at: 'providers.*.prices',
        form: 'document',
        document: modelPricesSchema,
      }),
    },
    ({ all = {}, byProvider }): PriceOverrides | undefined => {
      const named = [...byProvider].flatMap(([provider, models]) =>
        Object.entries(models).map(([model, price]) => [`${provider}/${model}`, price] as const),
      );
      const prices = { ...all, ...Object.fromEntries(named) };
      return Object.keys(prices).length === 0 ? undefined : PriceOverrides.of(prices);
    },
  ),
  /** Whether accounts can define providers of their own in cloud mode. */
  accountProviders: envVariable(
    'WEIR_ACCOUNT_PROVIDERS',
    z
      .enum(['on', 'off'], 'must be on or off')
      .default('off')
      .transform((value) => value === 'on'),
    'account_providers',
  ),
  /** What happens to calls to models without a known price. */
  unknownModels: envVariable(
    'WEIR_UNKNOWN_MODELS',
    z.enum(['estimate', 'refuse'], 'must be estimate or refuse').default('estimate'),
    'unknown_models',
  ),
  /** The paths of providers that calls are passed through to. */
  passThrough: envVariable(
    'WEIR_PASS_THROUGH',
    commaSeparatedList
      .refine((texts) => texts.every(isPassThroughText), passThroughFault)
      .transform((texts) => texts.map(readPassThrough))
      .default([]),
    { at: 'pass_through', form: 'list' },
  ),
} as const;

/** By provider; two variables can also have the names of their vendors' SDKs. */
function operatorKeysBy<Value>(
  select: (keys: readonly OperatorKey[]) => Value | undefined,
): Setting<ReadonlyMap<string, Value>> {
  const fields = {
    named: envVariablesByName('*_API_KEY', operatorKeys, { at: 'providers.*.keys', ...keyForm }),
    azure: envVariable('AZURE_OPENAI_API_KEY', operatorKeys.optional(), {
      at: 'providers.azure.keys',
      ...keyForm,
    }),
    bedrock: envVariable('AWS_BEARER_TOKEN_BEDROCK', operatorKeys.optional(), {
      at: 'providers.bedrock.keys',
      ...keyForm,
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

/**
 * `WEIR_<CLOUD>_<NAME>` for these clouds only, since settings of modules may have the same suffix, and `WEIR_<NAME>_*` for other providers of their
 * kinds.
 */
function cloudVariables<Value>(
  name: string,
  clouds: readonly ('azure' | 'bedrock' | 'vertex')[],
  schema: z.ZodType<Value>,
  form?: PlaceOptions['form'],
): Setting<ReadonlyMap<string, Value>> {
  const place = (provider: string): PlaceOptions => ({
    at: `providers.${provider}.${name.toLowerCase()}`,
    ...(form !== undefined && { form }),
  });
  const byCloud = clouds.map((cloud) => [
    cloud,
    envVariable(`WEIR_${cloud.toUpperCase()}_${name}`, schema.optional(), place(cloud)),
  ]);
  const ofClouds: Readonly<Record<string, Setting<Value | undefined>>> = Object.fromEntries(byCloud);
  const fields = {
    named: envVariablesByName(`WEIR_${name}_*`, schema, place('*')),
    clouds: combineSettings(ofClouds, (settingValues) => settingValues),
  };
  return combineSettings(fields, ({ named, clouds: given }) => {
    const set = new Map<string, Value>(named);
    for (const [cloud, value] of Object.entries(given))
      if (value !== undefined && !set.has(cloud)) set.set(cloud, value);
    return set;
  });
}
