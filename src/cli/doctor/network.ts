import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ProviderEgress } from '../../egress/provider-egress.ts';
import type { EgressPart } from '../../gateway/parts/egress.ts';
import { providersPart } from '../../gateway/parts/providers.ts';
import type { Settings } from '../../gateway/settings.ts';
import type { Provider } from '../../kernel/provider.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { queryProcesses } from '../../process/control-socket.ts';
import { type KeyTestResult, testKey } from '../../providers/key-test.ts';
import { limits as providersLimits } from '../../providers/limits.ts';
import { limits } from '../limits.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';
import type { ServerFindings } from './stores.ts';

/** Checks that the gateway can listen on its address. */
export async function portFinding({ host, port, dataDir }: Settings): Promise<Finding> {
  const address = `${host}:${port}`;
  const running = await queryProcesses(dataDir, { ask: 'log-level' }).catch(() => []);
  if (running.length > 0) return ok('port', `a gateway is running, with ${running.length} process(es)`);
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return ok('port', `${address} is free`);
  } catch (thrown) {
    return fail(
      'port',
      `cannot listen on ${address} (${reasonOf(thrown)})`,
      'stop the program that uses it, or set PORT and HOST',
    );
  } finally {
    server.close();
  }
}

/** Checks that the operator's providers are reachable and accept their keys. */
export async function providerFindings(settings: Settings, egressPart: EgressPart): Promise<ServerFindings> {
  const { credentials, keyPools, baseUrls } = settings;
  const part = providersPart(settings, egressPart);
  try {
    const { egress, means: signing, providers } = part;
    const set = providers.filter(
      ({ name, answerLocally }) =>
        answerLocally === undefined && (credentials.has(name) || baseUrls.has(name)),
    );
    if (set.length === 0) return { findings: [noProvidersFinding(settings)], clockAheadMs: {} };
    const clockAheadMs: Record<string, number> = {};
    const findings = await Promise.all(
      set.map(async (provider) => {
        const reached = await probeProvider(egress, provider);
        if (typeof reached === 'string') return unreachableFinding(provider, reached);
        if (reached.aheadMs !== undefined) clockAheadMs[provider.title] = reached.aheadMs;
        const key = credentials.get(provider.name);
        if (key === undefined) return ok(provider.name, `${provider.title} is reachable`);
        const keys = keyPools.get(provider.name) ?? [key];
        const results = await Promise.all(
          keys.map((one) => testKey({ egress, signing, provider, key: one })),
        );
        return keysFinding(provider, results);
      }),
    );
    return { findings, clockAheadMs };
  } finally {
    await part.close?.(performance.now() + limits.doctorCloseMs);
  }
}

/** Names keys by their positions. */
function keysFinding({ name }: Provider, results: readonly KeyTestResult[]): Finding {
  const bad = results.flatMap(({ ok, detail }, at) => (ok ? [] : { detail, position: at + 1 }));
  if (bad.length === 0) return ok(name, results[0]?.detail ?? '');
  const positions = bad.map(({ position }) => position).join(', ');
  const which = results.length === 1 ? 'its key' : `key ${positions} of its ${results.length}`;
  const details = [...new Set(bad.map(({ detail }) => detail))].join('; ');
  return fail(name, details, `check ${which} in the settings`);
}

function noProvidersFinding({ mode }: Settings): Finding {
  return mode === 'cloud'
    ? ok('providers', 'no provider has an operator key: accounts use their own keys')
    : warn(
        'providers',
        'no provider has a key: only the model demo-1 works',
        'set a provider key, for example ANTHROPIC_API_KEY',
      );
}

function unreachableFinding({ name, title, baseUrl }: Provider, why: string): Finding {
  const { origin } = new URL(baseUrl);
  const todo = `make ${origin} reachable from here: check DNS, firewall and proxy`;
  return fail(name, `${title} is unreachable (${why})`, todo);
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
    const date = await withTimeout(
      promise,
      providersLimits.keyTestMs,
      () => new Error('it does not respond'),
    );
    const theirs = Date.parse(String(date));
    return { aheadMs: Number.isNaN(theirs) ? undefined : Date.now() - theirs };
  } catch (thrown) {
    return reasonOf(thrown);
  }
}
