import type { ProviderEgress } from '../../egress/provider-egress.ts';
import type { Provider } from '../../kernel/provider.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { type KeyTestResult, testKey } from '../../providers/key-test.ts';
import { limits as providerLimits } from '../../providers/limits.ts';
import type { OperatorKey } from '../../providers/operator-keys.ts';
import { type Check, type CheckResult, failing, passed, reasonOf } from '../../telemetry/diagnostics.ts';
import type { ProvidersPart } from '../parts/providers.ts';
import type { Settings } from '../settings.ts';
import type { ClockDifferences } from './clock.ts';

interface ProviderCalls {
  readonly checks: readonly Check[];
  /** Filled by the checks. */
  readonly clockAheadMs: ClockDifferences;
}

/** Calls each provider that the operator has configured: whether it is reachable and accepts its keys. Nothing is billed. */
export function prepareProviderCalls(
  { credentials, keyPools, baseUrls }: Settings,
  { egress, means: signing, providers }: Pick<ProvidersPart, 'egress' | 'means' | 'providers'>,
): ProviderCalls {
  const clockAheadMs: Record<string, number> = {};
  const configured = providers.filter(
    ({ name, answerLocally }) => answerLocally === undefined && (credentials.has(name) || baseUrls.has(name)),
  );
  const checks = configured.map((provider) => ({
    name: provider.name,
    async run() {
      const reached = await probeProvider(egress, provider);
      if (typeof reached === 'string') return unreachable(provider, reached);
      if (reached.aheadMs !== undefined) clockAheadMs[provider.title] = reached.aheadMs;
      const key = credentials.get(provider.name);
      if (key === undefined) return passed(`${provider.title} is reachable`);
      const keys: readonly OperatorKey[] = keyPools.get(provider.name) ?? [{ secret: key, weight: 1 }];
      const results = await Promise.all(
        keys.map(({ secret }) => testKey({ egress, signing, provider, key: secret })),
      );
      return judgeKeys(results, keys);
    },
  }));
  return { checks, clockAheadMs };
}

/** Keys without a name are named by their positions. */
function judgeKeys(results: readonly KeyTestResult[], keys: readonly OperatorKey[]): CheckResult {
  const bad = results.flatMap(({ ok, detail }, at) =>
    ok ? [] : { detail, label: keys[at]?.name ?? String(at + 1) },
  );
  if (bad.length === 0) return passed(results[0]?.detail ?? '');
  const labels = bad.map(({ label }) => label).join(', ');
  const which = results.length === 1 ? 'its key' : `key ${labels} of its ${results.length}`;
  const details = [...new Set(bad.map(({ detail }) => detail))].join('; ');
  return failing(details, `check ${which} in the settings`);
}

function unreachable({ title, baseUrl }: Provider, why: string): CheckResult {
  const { origin } = new URL(baseUrl);
  return failing(
    `${title} is unreachable (${why})`,
    `make ${origin} reachable from here: check DNS, firewall and proxy`,
  );
}

/** Accepts any response; its `date` header has whole seconds. */
async function probeProvider(
  egress: ProviderEgress,
  provider: Provider,
): Promise<string | { readonly aheadMs: number | undefined }> {
  // A cloud provider's address depends on its key, which is tested anyway.
  if (provider.baseUrl.includes('{')) return { aheadMs: undefined };
  const endpoint = egress.endpointFor(provider);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  endpoint.dispatch(
    { method: 'HEAD', path: endpoint.basePath || '/' },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_, __, headers) => resolve(headers.date),
      onResponseData: () => undefined,
      onResponseEnd: () => undefined,
      onResponseError: (_, cause) => reject(cause),
    },
  );
  try {
    const date = await withTimeout(promise, providerLimits.keyTestMs, () => new Error('it does not respond'));
    const theirs = Date.parse(String(date));
    return { aheadMs: Number.isNaN(theirs) ? undefined : Date.now() - theirs };
  } catch (thrown) {
    return reasonOf(thrown);
  }
}
