import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { ProviderVault } from '../accounts/provider-keys.ts';
import { Sealing } from '../accounts/sealing.ts';
import { Spending } from '../billing/spending.ts';
import { UsageRecorder } from '../billing/usage-recorder.ts';
import { Admission } from '../calls/admission.ts';
import { Afterwork } from '../calls/afterwork.ts';
import { metered } from '../calls/attempt.ts';
import { Continuing } from '../calls/continuing.ts';
import { Credentials } from '../calls/credentials.ts';
import { kitMaker } from '../calls/kit.ts';
import { Meanings } from '../calls/meaning.ts';
import { Passage } from '../calls/passage.ts';
import { PipelineChoice } from '../calls/pipeline-choice.ts';
import { CallReports } from '../calls/reports.ts';
import { systemClock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Module } from '../kernel/module.ts';
import { Pipelines } from '../kernel/pipeline.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import { holderOf } from '../kernel/ports/purse.ts';
import type { Provider } from '../kernel/provider.ts';
import { createRequestIds } from '../kernel/request-ids.ts';
import { builtInModules } from '../modules/index.ts';
import { Catalog } from '../providers/catalog/catalog.ts';
import { configuredProviders } from '../providers/configured.ts';
import { Directory } from '../providers/directory.ts';
import { Egress } from '../providers/egress.ts';
import { TokenEstimator } from '../providers/tokens/token-estimator.ts';
import { createCounter, createUpstream } from '../providers/upstream.ts';
import { CountTokens } from '../server/count-tokens.ts';
import { dataPlaneOf, inferenceRoutes } from '../server/data-plane.ts';
import { createFront } from '../server/front.ts';
import { type AdmissionRules, loopbackHosts } from '../server/gatekeeper.ts';
import { Inference } from '../server/inference.ts';
import { Listener } from '../server/listener.ts';
import { createApp } from '../server/own/app.ts';
import { openapiRoute } from '../server/own/openapi.ts';
import { ShelvedTurns } from '../storage/shelved-turns.ts';
import type { Log } from '../telemetry/log.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { LogCleaner } from '../telemetry/request-log/log-cleaner.ts';
import { RequestRecorder } from '../telemetry/request-log/request-recorder.ts';
import { anthropicMessages, wireByName, wireFormats } from '../wire/index.ts';
import { gaugesOf } from './gauges.ts';
import type { Memory } from './memory.ts';
import { Host } from './module-host.ts';
import { loadModules } from './module-packages.ts';
import { unknownTo } from './module-settings.ts';
import { type OwnRouteParts, ownRoutes } from './own-routes.ts';
import { type PublicAddress, peopleOf } from './people.ts';
import { Roots } from './secrets.ts';
import type { Settings } from './settings.ts';
import { openStores, type Stores } from './stores.ts';

export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  readonly pipeline: string;
  /** Providers that can be called without a key on the request. */
  readonly ready: readonly string[];
  /** Variables with our prefix that mean nothing to this version, nor to a module that it loaded. */
  readonly unknownVariables: readonly string[];
  /** The figures of this process, for Prometheus. */
  metrics(): string;
  /** Leaves new connections to other processes, and serves its own until they are gone or `graceMs` is over. */
  handOver(graceMs: number): Promise<void>;
  /** Answers new calls with a refusal, and resolves when no other is open or `graceMs` is over. */
  drain(graceMs: number): Promise<void>;
  /** Takes no new calls, waits for open ones up to `graceMs`, and gives up the rest. */
  close(graceMs?: number): Promise<void>;
}

/** What the processes of one gateway have in common; one that is alone has its own. */
export interface Common {
  readonly startedAtMs: number;
  /** Stands in for Redis where there is none. */
  readonly memory: Memory;
  /** The figures of all processes together. */
  metrics(): Promise<string>;
}

/** The composition root: the only place that knows everyone. */
export async function startGateway(settings: Settings, log: Log, common?: Common): Promise<Gateway> {
  const roots = new Roots(settings);
  const host = new Host({ clock: systemClock, log, settings: () => ({}) });
  const modules = await loadModules(
    { builtIn: builtInModules, packages: settings.modulePackages, folder: process.cwd() },
    host,
  );
  const onRedis = (state: 'up' | 'down', cause?: unknown) => {
    if (state === 'down') log.error({ err: cause }, 'Redis is away');
  };
  const stores = await openStores(settings, onRedis, common?.memory);
  try {
    return await compose({ settings, log, common, roots, modules, stores });
  } catch (failure) {
    await stores.close();
    throw failure;
  }
}

interface Foundation {
  readonly settings: Settings;
  readonly log: Log;
  readonly common: Common | undefined;
  readonly roots: Roots;
  readonly modules: ReadonlyMap<string, Module>;
  readonly stores: Stores;
}

async function compose(foundation: Foundation): Promise<Gateway> {
  const { settings, log, common, roots, modules, stores } = foundation;
  const startedAtMs = common?.startedAtMs ?? systemClock.now();
  const [loopKey] = roots.derived('loop');
  const via = `1.1 weir-${Buffer.from(loopKey).toString('hex', 0, 8)}`;
  const metrics = new Metrics();

  const providers = configuredProviders(settings);
  const catalog = new Catalog({ overrides: settings.prices });
  const directory = new Directory(providers, catalog);
  const remote = providers.filter((provider) => provider.local === undefined);
  const baseUrls = remote.map((provider) => provider.baseUrl);
  const egress = new Egress(baseUrls, settings.upstreamTimeoutMs);
  const ready = providers.filter((provider) => isReady(provider, settings));

  const usage = new UsageRecorder({
    book: stores.database.usage,
    clock: systemClock,
    onError: (cause) => log.error({ err: cause }, 'usage is not stored yet'),
  });
  const requests = new RequestRecorder({
    log: stores.database.requests,
    onError: (cause) => log.error({ err: cause }, 'calls are not in the request log yet'),
    onDrop: () => log.error({}, 'calls are left out of the request log'),
  });
  const cleaner = new LogCleaner({
    log: stores.database.requests,
    clock: systemClock,
    ...settings.requestLog,
    onError: (cause) => log.error({ err: cause }, 'the request log was not cleaned'),
  });
  const spending = new Spending({
    purses: stores.purses,
    clock: systemClock,
    days: (question) => usage.days(question),
  });
  const address: PublicAddress = { url: settings.baseUrl ?? '' };
  const people = peopleOf({ ...foundation, usage, directory, address });
  const { callers, turnstiles, access, quota } = people;
  const { versions } = stores.shared;
  const vault = new ProviderVault({
    providerKeys: stores.database.providerKeys,
    versions,
    sealing: new Sealing(roots.derived('provider keys')),
    clock: systemClock,
  });
  const credentials = new Credentials({
    mode: settings.mode,
    directory,
    shapes: people.shapes,
    vault,
    versions,
    operator: settings.credentials,
  });

  const estimator = new TokenEstimator();
  const prices: Prices = {
    priced: ({ provider, model }) => catalog.priced(provider, model),
    bill: (target, used, answered) => catalog.bill({ ...target, answered }, used),
  };
  const reports = new CallReports({
    prices,
    metrics,
    requests: settings.requestLog.isOn ? requests : undefined,
    log,
  });
  const upstream = metered({
    upstream: createUpstream({ egress, via }),
    prices,
    spent: ({ target, usage: used, bill }, caller) => {
      const { provider, model } = target;
      usage.spend(
        { ...holderOf(caller), provider: provider.name, model, usage: used, costNanoUsd: bill?.nanoUsd },
        systemClock.now(),
      );
    },
  });
  const passage = new Passage({
    upstream,
    continuing: new Continuing(new ShelvedTurns(stores.turnShelves)),
    usage,
    reports,
    clock: systemClock,
  });
  const afterwork = new Afterwork({
    onFault: (module, fault) => log.error({ module, err: fault }, 'work after a call failed'),
  });
  const [nameKey] = roots.derived('credential names');
  const kits = kitMaker({
    shelves: stores.shelves,
    stores: stores.database.modules,
    clock: systemClock,
    catalog: prices,
    meanings: new Meanings(nameKey),
    afterwork,
    asking: {
      wire: anthropicMessages,
      newId: createRequestIds(),
      alone: (exchange, aside) => passage.alone(exchange, aside),
    },
    purse: (holder) => spending.purse(holder),
    wireByName,
    target: (model) => directory.find(model),
  });
  const compiled = new Pipelines(modules, kits);
  const pipelines = new PipelineChoice(compiled, settings.pipeline);
  const inference = new Inference({
    callers,
    admission: new Admission({
      turnstiles,
      pipelines,
      directory,
      credentials,
      prices: { catalog, unknownModels: settings.unknownModels },
      reports,
    }),
    passage,
    metrics,
    log,
    keepAliveMs: settings.keepAliveMs,
  });
  const countTokens = new CountTokens({
    callers,
    credentials,
    directory,
    counter: createCounter({ egress, via }),
    estimator,
    metrics,
    log,
  });
  const gauges = gaugesOf({
    inference,
    requests,
    log,
    spending,
    usage,
    quota,
    keys: people.services?.keys,
    vault,
    pipelines: compiled,
    directory,
  });
  for (const { name, help, read } of [...gauges, ...stores.gauges]) metrics.gauge(name, help, read);

  let draining = false;
  const isDraining = () => draining;
  const own: OwnRouteParts = {
    settings,
    version: packageJson.version,
    startedAtMs,
    stores,
    metrics: common === undefined ? metrics : { render: () => common.metrics() },
    providers,
    ready: new Set(ready),
    catalog,
    directory,
    modules,
    pipelines,
    callers,
    credentials,
    vault,
    usage,
    requests,
    quota,
    services: people.services,
    formats: wireFormats,
    isDraining,
  };
  const routes = [...inferenceRoutes(wireFormats), ...ownRoutes(own)];
  const server = createFront({
    rules: admissionRules(settings, via),
    trustedProxies: settings.trustedProxies,
    dataPlane: dataPlaneOf(wireFormats, { answer: inference, count: countTokens }),
    app: createApp([...routes, openapiRoute(routes)], { access, log }),
    isDraining,
  });
  const listener = await Listener.open(server, settings);
  if (settings.baseUrl === undefined) address.url = listener.url;
  cleaner.start();

  return {
    url: listener.url,
    pipeline: pipelines.base.pipeline.text,
    ready: ready.map((provider) => provider.name),
    unknownVariables: unknownTo(modules.keys(), settings.rest),
    metrics: () => metrics.render(),
    handOver: (graceMs) => listener.handOver(graceMs),
    async drain(graceMs) {
      draining = true;
      const untilMs = performance.now() + graceMs;
      while (inference.openCalls > 0 && performance.now() < untilMs) await sleep(20);
    },
    async close(graceMs = settings.drainMs) {
      draining = true;
      await listener.close(graceMs, () => inference.abortAll());
      await people.services?.close();
      await cleaner.stop();
      if (!(await afterwork.flush(limits.lastFlushMs))) log.error({}, 'some work of modules is left undone');
      await passage.close();
      reports.flush();
      if (!(await requests.flush(limits.lastFlushMs)))
        log.error({}, 'some calls are missing from the request log');
      if (!(await spending.close(limits.lastFlushMs))) log.error({}, 'some costs could not be settled');
      if (!(await usage.flush(limits.lastFlushMs))) log.error({}, 'some usage could not be stored');
      await Promise.all([egress.close(), estimator.close(), stores.close()]);
    },
  };
}

/** Local users are guarded against web pages; a cloud gateway answers to any name and asks everybody for a key. */
function admissionRules({ mode, allowedHosts, corsOrigins }: Settings, via: string): AdmissionRules {
  const isLocal = mode === 'local';
  const hosts = new Set([...(isLocal ? loopbackHosts : []), ...allowedHosts]);
  return {
    hosts: hosts.size === 0 ? undefined : hosts,
    origins: new Set(corsOrigins),
    guardOrigin: isLocal,
    via,
  };
}

/** Whether a call needs no key of its own. */
function isReady({ name, local, keyless }: Provider, { mode, credentials, baseUrls }: Settings): boolean {
  if (local !== undefined || (keyless && baseUrls.has(name))) return true;
  return mode === 'local' && credentials.has(name);
}
