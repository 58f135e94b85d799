import type { Server } from 'node:http';
import packageJson from '../package.json' with { type: 'json' };
import { systemClock } from './kernel/clock.ts';
import { limits } from './kernel/limits.ts';
import { type KitMaker, Pipelines } from './kernel/pipeline.ts';
import { Reply } from './kernel/reply.ts';
import type { Shelves } from './kernel/storage.ts';
import { loadModules } from './module-packages.ts';
import { builtInModules, plannedModules } from './modules/index.ts';
import { Catalog } from './providers/catalog.ts';
import { configuredProviders } from './providers/configured.ts';
import { Directory } from './providers/directory.ts';
import { Egress } from './providers/egress.ts';
import { ModelList } from './providers/model-list.ts';
import { TokenEstimator } from './providers/tokens/token-estimator.ts';
import { createCounter, createUpstream } from './providers/upstream.ts';
import { derivedKey, rootSecret } from './secrets.ts';
import { loopbackHosts } from './server/admission.ts';
import { createApp } from './server/app.ts';
import { Continuing } from './server/continuing.ts';
import { CountTokens, countTokensRoute } from './server/count-tokens.ts';
import { Credentials } from './server/credentials.ts';
import { Frame } from './server/frame.ts';
import { createFront, type Served } from './server/front.ts';
import { Inference } from './server/inference.ts';
import { openapiRoute } from './server/openapi.ts';
import { PipelineChoice } from './server/pipeline-choice.ts';
import type { InferenceRoute, OwnRoute } from './server/route.ts';
import { healthRoutes } from './server/routes/health.ts';
import { informationRoutes } from './server/routes/information.ts';
import { localModeRoutes } from './server/routes/local-mode.ts';
import { metricsRoutes } from './server/routes/metrics.ts';
import { modelsRoutes } from './server/routes/models.ts';
import { pipelineRoutes } from './server/routes/pipeline.ts';
import { welcomeRoutes } from './server/routes/welcome.ts';
import type { Settings } from './settings.ts';
import { MemoryShelves } from './storage/memory-shelves.ts';
import { ShelvedTurns } from './storage/shelved-turns.ts';
import type { Log } from './telemetry/log.ts';
import { Metrics } from './telemetry/metrics.ts';
import { anthropicMessages, modelDialects, openaiChat, openaiResponses, wireByName } from './wire/index.ts';

export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  readonly pipeline: string;
  /** Providers that can be called without a key on the request. */
  readonly ready: readonly string[];
  /** Takes no new calls, waits for open ones up to `graceMs`, and gives up the rest. */
  close(graceMs?: number): Promise<void>;
}

/** The composition root: the only place that knows everyone. */
export async function startGateway(settings: Settings, log: Log): Promise<Gateway> {
  const startedAtMs = systemClock.now();
  const { version } = packageJson;
  const root = rootSecret(settings.secret, settings.dataDir);
  const via = `1.1 weir-${Buffer.from(derivedKey(root, 'loop')).toString('hex', 0, 8)}`;

  const providers = configuredProviders(settings.baseUrls);
  const catalog = new Catalog();
  const directory = new Directory(providers, catalog);
  const remote = providers.filter((provider) => provider.local === undefined);
  const egress = new Egress(
    remote.map((provider) => provider.baseUrl),
    settings.upstreamTimeoutMs,
  );
  const upstream = createUpstream({ egress, via });

  const shelves = new MemoryShelves(systemClock);
  const turnShelves = new MemoryShelves(systemClock, limits.turnBytesMax);
  const modules = await loadModules(builtInModules(), settings.modulePackages, process.cwd());
  const pipelines = new Pipelines(modules, kitMaker(shelves, derivedKey(root, 'credential names')));
  const choice = new PipelineChoice(pipelines, settings.pipeline);
  const { text: pipeline } = choice.base.pipeline;

  const metrics = new Metrics();
  const credentials = new Credentials({
    directory,
    keyPrefix: settings.keyPrefix,
    localToken: settings.localToken,
    operator: settings.credentials,
  });
  const frame = new Frame({ upstream, catalog, metrics, log });
  const inference = new Inference({
    credentials,
    directory,
    pipelines: choice,
    continuing: new Continuing(new ShelvedTurns(turnShelves)),
    frame,
    metrics,
    log,
    keepAliveMs: settings.keepAliveMs,
  });
  const estimator = new TokenEstimator();
  const countTokens = new CountTokens({
    credentials,
    directory,
    counter: createCounter({ egress, via }),
    estimator,
    metrics,
    log,
  });
  metrics.gauge('weir_open_calls', 'Calls that have not ended', () => inference.openCalls);
  metrics.gauge(
    'weir_turn_bytes',
    `Bytes of conversations kept in memory, of ${limits.turnBytesMax}`,
    () => turnShelves.bytes,
  );
  metrics.gauge(
    'weir_shelf_bytes',
    `Bytes that modules keep in memory, of ${limits.shelfBytesMax}`,
    () => shelves.bytes,
  );

  let draining = false;
  const isDraining = () => draining;
  const ready = providers.filter(
    (provider) =>
      provider.local !== undefined ||
      settings.credentials.has(provider.name) ||
      (provider.keyless && settings.baseUrls.has(provider.name)),
  );
  const configured = Object.fromEntries(
    providers.map((provider) => [provider.name, ready.includes(provider)]),
  );

  const own: readonly OwnRoute[] = [
    ...welcomeRoutes(settings.mode),
    ...healthRoutes({
      revision: settings.revision,
      startedAtMs,
      now: () => systemClock.now(),
      providers: configured,
      isDraining,
    }),
    ...metricsRoutes(metrics, settings.metricsToken),
    ...pipelineRoutes(credentials, choice, version),
    ...modelsRoutes({
      dialects: modelDialects,
      credentials,
      models: new ModelList(directory, catalog),
      providers,
      ready: new Set(ready),
    }),
    ...informationRoutes({
      version,
      mode: settings.mode,
      catalog,
      directory,
      modules: modules.values(),
      planned: plannedModules,
      formats: inferenceRoutes,
      features: ['streaming', 'byok', 'pipelines', 'module-packages', 'metrics', 'demo-model'],
    }),
    ...localModeRoutes(),
  ];
  const countRoute: InferenceRoute = { ...countTokensRoute, wire: anthropicMessages };
  const routes = [...inferenceRoutes, countRoute, ...own];
  const app = createApp([...routes, openapiRoute(routes)], log);
  const server = createFront({
    rules: {
      hosts: new Set([...loopbackHosts, ...settings.allowedHosts]),
      origins: new Set(settings.corsOrigins),
      guardOrigin: true,
      via,
    },
    dataPlane: new Map([
      ...inferenceRoutes.map(({ path, wire }): [string, Served] => [path, { wire, by: inference }]),
      [countRoute.path, { wire: countRoute.wire, by: countTokens }],
    ]),
    app,
    isDraining,
  });
  const url = await listen(server, settings);

  return {
    url,
    pipeline,
    ready: ready.map((provider) => provider.name),
    async close(graceMs = settings.drainMs) {
      draining = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection that becomes idle while we wait would otherwise keep the server open.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const giveUp = setTimeout(() => {
        inference.abortAll();
        server.closeAllConnections();
      }, graceMs);
      await closed;
      clearTimeout(giveUp);
      clearInterval(sweep);
      await Promise.all([egress.close(), estimator.close()]);
    },
  };
}

/** The formats that clients may speak, with where they live. */
const inferenceRoutes: readonly InferenceRoute[] = [
  { path: '/v1/messages', wire: anthropicMessages, summary: 'Anthropic Messages' },
  { path: '/v1/chat/completions', wire: openaiChat, summary: 'OpenAI Chat Completions' },
  { path: '/v1/responses', wire: openaiResponses, summary: 'OpenAI Responses' },
].map((route) => ({ kind: 'inference', method: 'POST', tag: 'Inference', ...route }));

function kitMaker(shelves: Shelves, credentialKey: Uint8Array): KitMaker {
  return (module, scope) => ({
    store: shelves.shelf(`${module.name}\n${scope}`),
    clock: systemClock,
    fingerprint: ({ target }) => target.credential?.fingerprint(credentialKey) ?? '',
    replay: (recording) => Reply.replay(recording, wireByName(recording.wire)),
  });
}

function listen(server: Server, { host, port }: Settings): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}
