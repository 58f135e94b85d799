import { once } from 'node:events';
import { createServer } from 'node:net';
import { providersPart } from '../../gateway/parts/providers.ts';
import type { Settings } from '../../gateway/settings.ts';
import { limits } from '../../kernel/limits.ts';
import type { Provider } from '../../kernel/provider.ts';
import { withTimeout } from '../../kernel/with-timeout.ts';
import type { Egress } from '../../providers/egress.ts';
import { testKey } from '../../providers/key-test.ts';
import { queryProcesses } from '../control-socket.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';
import type { ServerFindings } from './stores.ts';

/** Whether it can listen where it should. */
export async function portFinding({ host, port, dataDir }: Settings): Promise<Finding> {
  const place = `${host}:${port}`;
  const running = await queryProcesses(dataDir, { ask: 'log-level' }).catch(() => []);
  if (running.length > 0) return ok('port', `a gateway is running, with ${running.length} process(es)`);
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return ok('port', `${place} is free`);
  } catch (thrown) {
    return fail(
      'port',
      `${place} can't be listened on (${reasonOf(thrown)})`,
      'stop what has it, or set PORT and HOST',
    );
  } finally {
    server.close();
  }
}

/** Providers that the operator has set up: whether they can be reached, and take the key. */
export async function providerFindings(settings: Settings): Promise<ServerFindings> {
  const { credentials, baseUrls } = settings;
  const part = providersPart(settings);
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
        if (key === undefined) return ok(provider.name, `${provider.title} can be reached`);
        const { ok: isTaken, detail } = await testKey({ egress, signing, provider, key });
        return isTaken
          ? ok(provider.name, detail)
          : fail(provider.name, detail, 'see its key in the settings');
      }),
    );
    return { findings, clockAheadMs };
  } finally {
    await part.close?.(performance.now() + limits.doctorCloseMs);
  }
}

function noProvidersFinding({ mode }: Settings): Finding {
  return mode === 'cloud'
    ? ok('providers', 'none has a key of the operator: accounts bring theirs')
    : warn('providers', 'none has a key: only demo-1 answers', 'set ANTHROPIC_API_KEY, for example');
}

function unreachableFinding({ name, title, baseUrl }: Provider, why: string): Finding {
  const { origin } = new URL(baseUrl);
  const todo = `see that ${origin} can be reached from here: name service, firewall, proxy`;
  return fail(name, `${title} can't be reached (${why})`, todo);
}

/** Any answer will do; the clock that it tells has whole seconds. */
async function probeProvider(
  egress: Egress,
  provider: Provider,
): Promise<string | { readonly aheadMs: number | undefined }> {
  // Of a cloud the address is known with the key, which is tried in any case.
  if (provider.baseUrl.includes('{')) return { aheadMs: undefined };
  const { pool, basePath } = egress.endpointFor(provider);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  pool.dispatch(
    { method: 'HEAD', path: basePath || '/' },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_, __, headers) => resolve(headers.date),
      onResponseData: () => undefined,
      onResponseEnd: () => undefined,
      onResponseError: (_, cause) => reject(cause),
    },
  );
  try {
    const date = await withTimeout(promise, limits.keyTestMs, () => new Error('it does not answer'));
    const theirs = Date.parse(String(date));
    return { aheadMs: Number.isNaN(theirs) ? undefined : Date.now() - theirs };
  } catch (thrown) {
    return reasonOf(thrown);
  }
}
