import { z } from 'zod';
import { commaSeparatedList, durationMs, httpUrl, secretText } from '../kernel/setting-schemas.ts';
import { combineSettings, envVariable, envVariablesByName, type Setting } from '../kernel/settings.ts';
import { PriceFileError, type PriceOverrides, readPriceOverrides } from './catalog/price-overrides.ts';

/** `name=model`, separated by commas. */
const modelsByName = commaSeparatedList.transform((items, context): ReadonlyMap<string, string> => {
  const named = new Map<string, string>();
  for (const item of items) {
    // Names of models have none, names that customers gave them may.
    const equals = item.lastIndexOf('=');
    if (equals > 0 && equals < item.length - 1)
      named.set(item.slice(0, equals).trim(), item.slice(equals + 1).trim());
    else context.addIssue('must be a list such as my-name=gpt-5-mini,other=gpt-4.1');
  }
  return named;
});

/** Who answers, where, with which key and at what price. */
export const providerSettings = {
  /** Addresses that replace a provider's own, by provider; a name we don't know makes a provider of its own. */
  baseUrls: envVariablesByName('WEIR_*_BASE_URL', httpUrl),
  /** How streams of a provider come to tell their usage, by provider, where its own data doesn't say or is wrong. */
  streamUsage: envVariablesByName(
    'WEIR_*_STREAM_USAGE',
    z.enum(['asked', 'unasked'], 'must be asked or unasked'),
  ),
  /** Operator credentials, by provider; two of them also under the names that their vendors' SDKs read. */
  credentials: combineSettings(
    {
      named: envVariablesByName('*_API_KEY', secretText),
      azure: envVariable('AZURE_OPENAI_API_KEY', secretText.optional()),
      bedrock: envVariable('AWS_BEARER_TOKEN_BEDROCK', secretText.optional()),
    },
    ({ named, ...others }) => {
      const all = new Map(named);
      for (const [name, key] of Object.entries(others))
        if (key !== undefined && !all.has(name)) all.set(name, key);
      return all;
    },
  ),
  /** What customers may put into addresses, by provider; the first is the usual one. */
  resources: cloudVariables('RESOURCES', ['azure'], commaSeparatedList),
  regions: cloudVariables('REGIONS', ['bedrock', 'vertex'], commaSeparatedList),
  /** Models behind names that customers gave them, by provider. */
  deployments: cloudVariables('DEPLOYMENTS', ['azure', 'bedrock', 'vertex'], modelsByName),
  apiVersions: cloudVariables(
    'API_VERSION',
    ['azure'],
    z.string().regex(/^\d{4}-\d\d-\d\d(-preview)?$/, 'must be a date, such as 2024-10-21'),
  ),
  /** Where tokens of Google's service accounts come from: to be set for tests and proxies alone. */
  tokenUrl: envVariable('WEIR_VERTEX_TOKEN_URL', httpUrl.optional()),
  /** How long a provider may be silent before it is given up: clients wait ten minutes, and must give up first. */
  upstreamTimeoutMs: envVariable('WEIR_UPSTREAM_TIMEOUT', durationMs.default(600_000)),
  /** The operator's own prices. */
  prices: envVariable('WEIR_PRICES', z.string().min(1).transform(loadPriceOverrides).optional()),
  /** What happens to calls of models without a known price. */
  unknownModels: envVariable(
    'WEIR_UNKNOWN_MODELS',
    z.enum(['estimate', 'refuse'], 'must be estimate or refuse').default('estimate'),
  ),
} as const;

/** `WEIR_<CLOUD>_<NAME>` for these clouds alone: a module may have settings that end alike. */
function cloudVariables<Value>(
  name: string,
  clouds: readonly ('azure' | 'bedrock' | 'vertex')[],
  schema: z.ZodType<Value>,
): Setting<ReadonlyMap<string, Value>> {
  const byCloud = clouds.map((cloud) => [
    cloud,
    envVariable(`WEIR_${cloud.toUpperCase()}_${name}`, schema.optional()),
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
