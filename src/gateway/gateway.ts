import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Argon2Cost } from '../accounts/argon2.ts';
import type { Provider } from '../kernel/provider.ts';
import { isRequestId } from '../kernel/request-id.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { systemClock } from '../lib/clock.ts';
import { openDashboard } from '../server/api/dashboard.ts';
import { openDocs } from '../server/api/docs.ts';
import type { Log } from '../telemetry/log.ts';
import { endpointFormats } from '../wire/index.ts';
import { billingChecks } from './checks/billing.ts';
import { prepareProviderCalls } from './checks/providers.ts';
import { createDiagnostics, type Diagnose } from './diagnostics.ts';
import { startListener } from './listen.ts';
import type { ModuleInput } from './module-packages.ts';
import { checkRouteCollisions, createModuleRoutes } from './module-routes.ts';
import { accountsPart } from './parts/accounts.ts';
import { alertsPart } from './parts/alerts.ts';
import { anonymousPart } from './parts/anonymous.ts';
import { billingPart, type CreditUseListener } from './parts/billing.ts';
import { dataPlanePart } from './parts/data-plane.ts';
import { allowListFaults, egressPart, renderEgressMetrics } from './parts/egress.ts';
import { embeddingsPart } from './parts/embeddings.ts';
import { identityPart, type PublicAddress } from './parts/identity.ts';
import { informationPart } from './parts/information.ts';
import { logSinksPart } from './parts/log-sinks.ts';
import { metricsPart } from './parts/metrics.ts';
import { moduleStoresPart } from './parts/module-stores.ts';
import { modulesPart } from './parts/modules.ts';
import { otlpPart } from './parts/otlp.ts';
import { createPaidModels, createPayerServices } from './parts/payers.ts';
import { paymentsPart } from './parts/payments.ts';
import { pipelinesPart } from './parts/pipelines.ts';
import { providerKeysPart } from './parts/provider-keys.ts';
import { providersPart } from './parts/providers.ts';
import { receiptsPart } from './parts/receipts.ts';
import { recordingsPart } from './parts/recordings.ts';
import { requestLogPart } from './parts/request-log.ts';
import { sandboxPart } from './parts/sandbox.ts';
import { spendingPart } from './parts/spending.ts';
import { storesPart } from './parts/stores.ts';
import { usagePart } from './parts/usage.ts';
import { ProcessRegistry } from './process-registry.ts';
import { RootSecrets } from './secrets.ts';
import { type Settings, SettingsError } from './settings.ts';
import type { SharedResources } from './shared-resources.ts';
import { type StartedParts, startParts } from './started-parts.ts';
import { version } from './version.ts';

export interface Gateway {
  /** The URL that it listens on. */
  readonly url: string;
  readonly pipeline: string;
  /** Providers that need no key on the request. */
  readonly readyProviders: readonly string[];
  /** Whether the dashboard is served. */
  readonly hasDashboard: boolean;
  /** `WEIR_` variables that neither this version nor a loaded module knows. */
  readonly unknownVariables: readonly string[];
  /** The metrics of this process in the Prometheus format. */
  metrics(): string;
  readonly diagnose: Diagnose;
  /** Stops accepting connections; other processes take them. */
  stopAccepting(): void;
  /** Stops accepting, and serves open connections until they end or `graceMs` has passed. */
  handOver(graceMs: number): Promise<void>;
  /** Reports not ready to load balancers, and keeps serving. */
  announceShutdown(): void;
  /** Rejects new calls, and resolves when no call is open or `graceMs` has passed. */
  drain(graceMs: number): Promise<void>;
  /** Accepts no new calls, waits up to `graceMs` for open ones and aborts the rest. */
  close(graceMs?: number): Promise<void>;
}

const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** The composition root. */
export function startGateway(
  settings: Settings,
  log: Log,
  gatewayExtras: GatewayExtras = {},
): Promise<Gateway> {
  return startParts(log, (parts) => compose(parts, { settings, log, ...gatewayExtras }));
}

export interface GatewayExtras {
  readonly sharedResources?: SharedResources;
  /** Modules of the embedding program. */
  readonly modules?: readonly ModuleInput[];
  /** Further wire formats and providers. */
  readonly formats?: readonly WireFormat[];
  readonly providers?: readonly Provider[];
  /** Less than the usual cost, for tests. */
  readonly passwordCost?: Argon2Cost;
}

interface ComposeOptions extends GatewayExtras {
  readonly settings: Settings;
  readonly log: Log;
}

/** Parts close in reverse order, so that stores are open while the data of calls is flushed. */
async function compose(parts: StartedParts, composeOptions: ComposeOptions): Promise<Gateway> {
  const { settings, log, sharedResources } = composeOptions;
  const rootSecrets = new RootSecrets(settings);
  const via = viaHeaderOf(rootSecrets);
  const address: PublicAddress = { url: settings.baseUrl ?? '' };
  const startedAtMs = sharedResources?.startedAtMs ?? systemClock.now();
  let state: 'serving' | 'leaving' | 'draining' = 'serving';
  const isShuttingDown = () => state !== 'serving';
  const isDraining = () => state === 'draining';

  const { modules: given = [], formats = [] } = composeOptions;
  const outbound = parts.add(
    egressPart({
      settings,
      log,
      via,
      given: composeOptions.providers,
      openSocket: sharedResources?.openSocket,
    }),
  );
  const { egress, moduleFetches } = outbound;
  const { metrics, refusals, audit } = parts.add(metricsPart({ settings, log, sharedResources }));
  const stores = parts.add(await storesPart({ settings, log, sharedResources, metrics }));
  const processRegistry = new ProcessRegistry({
    processes: stores.database.processes,
    clock: stores.clock,
    version,
    revision: settings.revision,
  });
  processRegistry.start();
  parts.add({
    checks: [...processRegistry.checks, ...billingChecks(settings, egress)],
    close: () => processRegistry.close(),
  });
  const { moduleStores, moduleSealer } = parts.add(moduleStoresPart({ stores, roots: rootSecrets, log }));
  const providers = parts.add(providersPart(settings, outbound, composeOptions.providers));
  if (sharedResources?.beforePackages !== undefined) {
    providers.estimator.startThread();
    sharedResources.beforePackages();
    outbound.watchDenials();
  }
  const { modules, builtInNames, moduleHosts, unknownVariables } = parts.add(
    await modulesPart({ settings, log, clock: stores.clock, moduleFetches, given }),
  );
  const faults = allowListFaults(outbound, modules, settings);
  if (faults.length > 0) throw new SettingsError(faults);
  const ground = { settings, log, roots: rootSecrets, via, egress, modules, stores };
  metrics.addSource(() => renderEgressMetrics(egress));
  const { directory: providerDirectory, readyProviders, catalog } = providers;
  metrics.setCatalog((name, model) => {
    const provider = providerDirectory.providers.get(name);
    return provider !== undefined && catalog.hasName(provider, model);
  });
  const meaning = parts.add(embeddingsPart({ ...ground, providers, models: sharedResources?.models }));
  const creditUseListener: CreditUseListener = { onUse: () => undefined };
  const { usage } = parts.add(await usagePart({ ...ground, creditUse: creditUseListener }));
  const { alerts, spendingListener } = parts.add(alertsPart({ ...ground, allowList: outbound.allowList }));
  const { spending: spendingLimiter } = parts.add(
    spendingPart({ ...ground, usage, listener: spendingListener }),
  );
  const { sinks, history } = parts.add(await logSinksPart(ground));
  const otlp = parts.add(otlpPart(ground));
  const { recordings } = parts.add(recordingsPart(ground));
  const { requests } = parts.add(await requestLogPart({ ...ground, providers, history, recordings }));
  moduleHosts.connect({
    stores: moduleStores,
    vectors: meaning.vectors,
    hasCall: async (id, accountId) => isRequestId(id) && (await requests.find(id, accountId)) !== undefined,
  });
  const { rateLimiter } = stores.shared;
  const moduleRoutes = createModuleRoutes({
    modules,
    builtIn: builtInNames,
    hosts: moduleHosts,
    rateLimiter,
  });
  parts.add({ routes: [...moduleRoutes.values()].flat() });
  const { receipts } = parts.add(await receiptsPart(ground));
  const { sessions, findGuest } = parts.add(anonymousPart(ground));
  const identity = parts.add(
    identityPart({
      ...ground,
      usage,
      alerts,
      directory: providerDirectory,
      address,
      findGuest,
      passwordCost: composeOptions.passwordCost,
    }),
  );
  const { callers: callerAuthenticator, access } = identity;
  const recorded = { metrics, usage, spending: spendingLimiter, requests, sinks, otlp, alerts };
  const calls = parts.add(
    pipelinesPart({
      ...ground,
      ...recorded,
      moduleStores,
      moduleSealer,
      moduleFetches,
      providers,
      embeddingsPart: meaning,
    }),
  );
  const { pipelines, aliases, health } = calls;
  const own = await pipelines.describeGateway();
  for (const fault of own.faults)
    log.warn({ fault }, 'the stored pipeline is wrong: calls are rejected until it is changed');
  calls.warmUp(own.pipeline?.stages ?? []);
  const { vault } = parts.add(providerKeysPart({ ...ground, providers, health }));
  const sandbox = parts.add(sandboxPart({ ...ground, providers, identity, pipelines, sessions }));
  const models = createPaidModels(settings, providers);
  const payerServices = await createPayerServices({ settings, egress, models, pipelines });
  const callerAdmissions = {
    ...identity.callerAdmissions,
    sandbox: sandbox.callerAdmission,
    ...(payerServices !== undefined && { payer: payerServices.callerAdmission }),
  };
  const dataPlane = parts.add(
    dataPlanePart({
      ...ground,
      ...calls,
      metrics,
      refusals,
      providers,
      identity,
      callerAdmissions,
      receipts,
      recordings,
      vault,
      builtInNames,
      formats: [...endpointFormats, ...formats],
    }),
  );
  const { admission } = dataPlane;
  const payments = parts.add(
    paymentsPart({
      ...ground,
      ...calls,
      metrics,
      address,
      admission,
      receipts,
      models,
      payers: payerServices,
    }),
  );
  const { stopCharging } = parts.add(
    billingPart({ ...ground, audit, identity, address, creditUse: creditUseListener }),
  );
  parts.add(
    accountsPart({
      ...ground,
      usage,
      identity,
      pipelines,
      directory: providerDirectory,
      spending: spendingLimiter,
      sessions,
      embeddingsPart: meaning,
      recordings,
      stepAsides: calls.stepAsides,
      stopCharging,
    }),
  );
  // Last, since it describes the others.
  const { checks, features } = parts;
  const diagnose = createDiagnostics(checks, () => prepareProviderCalls(settings, providers));
  parts.add(
    informationPart({
      ...ground,
      startedAtMs,
      diagnose,
      processRegistry,
      features,
      moduleRoutes,
      isShuttingDown,
      recorders: [usage, requests],
      embeddingsPart: meaning,
      providers,
      callers: callerAuthenticator,
      pipelines,
      warmUp: calls.warmUp,
      aliases,
      dataPlane,
      paidRoutes: payments.paidRoutes,
    }),
  );

  checkRouteCollisions(parts.routes);
  for (const { name, help, read } of parts.gauges) metrics.gauge(name, help, read);
  const pages = settings.dashboard === 'on' ? openPages(projectFolder) : undefined;
  const listener = await startListener({
    settings,
    log,
    via,
    clock: stores.clock,
    refusals,
    audit,
    access,
    routes: parts.routes,
    isDraining,
    pages,
  });
  if (settings.baseUrl === undefined) address.url = listener.url;
  const openCalls = () => dataPlane.openCalls() + payments.openCalls();
  return {
    url: listener.url,
    pipeline: own.pipeline?.text ?? own.text,
    readyProviders: readyProviders.map((provider) => provider.name),
    hasDashboard: pages?.dashboard !== undefined,
    unknownVariables,
    metrics: () => metrics.render(),
    diagnose,
    stopAccepting: () => listener.stopAccepting(),
    handOver: (graceMs) => listener.handOver(graceMs),
    announceShutdown() {
      if (state === 'serving') state = 'leaving';
      listener.disableKeepAlive();
    },
    async drain(graceMs) {
      state = 'draining';
      listener.disableKeepAlive();
      log.info({ calls: openCalls(), graceMs }, `no new calls: ${openCalls()} under way are completed`);
      await parts.drain(performance.now() + graceMs);
    },
    async close(graceMs = settings.drainMs) {
      state = 'draining';
      await listener.close(graceMs, () => {
        const calls = openCalls();
        if (calls > 0) log.warn({ calls }, `${calls} calls were cut off at the end of the grace period`);
        dataPlane.abortAll();
        payments.abortAll();
      });
      await parts.close();
    },
  };
}

function openPages(folder: string) {
  return {
    dashboard: openDashboard(join(folder, 'web', 'dist')),
    docs: openDocs(join(folder, 'site', 'dist')),
  };
}

/** The `via` value that identifies calls through this gateway or one with the same secret. */
function viaHeaderOf(rootSecrets: RootSecrets): string {
  const [loopKey] = rootSecrets.deriveKeys('loop');
  return `1.1 weir-${Buffer.from(loopKey).toString('hex', 0, 8)}`;
}
