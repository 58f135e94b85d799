import { type McpToolsFinder, noMcpTools } from '../kernel/ports/mcp.ts';
import type { SettingsChange } from '../kernel/ports/reload.ts';
import { isRequestId } from '../kernel/request-id.ts';
import type { MetricsView } from '../telemetry/metrics.ts';
import { endpointFormats } from '../wire/index.ts';
import { billingChecks } from './checks/billing.ts';
import { prepareProviderCalls } from './checks/providers.ts';
import { createDiagnostics, type Diagnose } from './diagnostics.ts';
import type { GenerationOptions } from './generation-options.ts';
import { openIssuerAccess } from './issuer-access.ts';
import { addMcpParts } from './mcp-parts.ts';
import { checkRouteCollisions, createModuleRoutes } from './module-routes.ts';
import { openPages } from './pages.ts';
import { accountsPart } from './parts/accounts.ts';
import { alertsPart } from './parts/alerts.ts';
import { anonymousPart } from './parts/anonymous.ts';
import { auditPart } from './parts/audit.ts';
import { auditLogPart } from './parts/audit-log.ts';
import { billingPart, type CreditUseListener } from './parts/billing.ts';
import { configurationPart } from './parts/configuration.ts';
import { dataPlanePart } from './parts/data-plane.ts';
import { allowListFaults, egressPart } from './parts/egress.ts';
import { embeddingsPart } from './parts/embeddings.ts';
import { evidencePart } from './parts/evidence.ts';
import { identityPart } from './parts/identity.ts';
import { informationPart } from './parts/information.ts';
import { logSinksPart } from './parts/log-sinks.ts';
import { metricsPart } from './parts/metrics.ts';
import { moduleStoresPart } from './parts/module-stores.ts';
import { modulesPart } from './parts/modules.ts';
import { movingPart } from './parts/moving.ts';
import { otlpPart } from './parts/otlp.ts';
import { createPaidModels, createPayerServices } from './parts/payers.ts';
import { paymentsPart } from './parts/payments.ts';
import { pipelinesPart } from './parts/pipelines.ts';
import { createVault, providerKeysPart } from './parts/provider-keys.ts';
import { providersPart } from './parts/providers.ts';
import { receiptsPart } from './parts/receipts.ts';
import { recordingsPart } from './parts/recordings.ts';
import { requestLogPart } from './parts/request-log.ts';
import { retentionPart } from './parts/retention.ts';
import { sandboxPart } from './parts/sandbox.ts';
import { scimPart } from './parts/scim.ts';
import { signOnPart } from './parts/sign-on.ts';
import { spendingPart } from './parts/spending.ts';
import { usagePart } from './parts/usage.ts';
import { createRequestServing, type RequestServing } from './request-serving.ts';
import { RootSecrets } from './secrets.ts';
import { type Settings, SettingsError } from './settings.ts';
import { type StartedParts, startParts } from './started-parts.ts';

/** A gateway with one set of settings, without its listener. */
export interface Generation extends Pick<RequestServing, 'handlers' | 'webSockets' | 'openRequests'> {
  readonly settings: Settings;
  readonly parts: StartedParts;
  readonly metricsView: MetricsView;
  readonly pipeline: string;
  readonly readyProviders: readonly string[];
  readonly hasDashboard: boolean;
  readonly unknownVariables: readonly string[];
  readonly diagnose: Diagnose;
  /** For the audit log, once it serves. */
  recordSettings(change: SettingsChange | undefined): Promise<void>;
  openCalls(): number;
  abortAll(): void;
}

/** Starts all parts; if one fails, those before it are closed. */
export function startGeneration(options: GenerationOptions): Promise<Generation> {
  return startParts(options.log, (parts) => compose(parts, options));
}

/** Parts close in reverse order, so that stores are open while the data of calls is flushed. */
async function compose(parts: StartedParts, options: GenerationOptions): Promise<Generation> {
  const {
    settings,
    log,
    sharedResources,
    metrics,
    stores,
    models: localModels,
    tokenEstimator,
    processRegistry,
    address,
  } = options;
  const { startedAtMs, isShuttingDown, isDraining } = options;
  const rootSecrets = new RootSecrets(settings);
  const via = viaHeaderOf(rootSecrets);

  const { modules: given = [], formats = [] } = options;
  const outbound = parts.add(
    egressPart({
      settings,
      log,
      via,
      given: options.providers,
      openSocket: sharedResources?.openSocket,
    }),
  );
  const { egress, moduleFetches } = outbound;
  const { refusals } = parts.add(metricsPart({ settings, log, metrics, sharedResources }));
  const { audit, recordSettings } = parts.add(auditPart({ settings, log, stores }));
  parts.add({
    gauges: stores.gauges,
    checks: [...(stores.checks ?? []), ...processRegistry.checks, ...billingChecks(settings, egress)],
  });
  const { moduleStores, moduleSealer } = parts.add(moduleStoresPart({ stores, roots: rootSecrets, log }));
  const providers = parts.add(providersPart(settings, outbound, tokenEstimator, options.providers));
  if (sharedResources?.beforePackages !== undefined) {
    tokenEstimator.startThread();
    sharedResources.beforePackages();
    outbound.watchDenials();
  }
  const { modules, builtInNames, moduleHosts, unknownVariables } = parts.add(
    await modulesPart({ settings, log, clock: stores.clock, moduleFetches, given }),
  );
  const faults = allowListFaults(outbound, modules, settings);
  if (faults.length > 0) throw new SettingsError(faults);
  const ground = { settings, log, roots: rootSecrets, via, egress, modules, stores };
  const { directory: providerDirectory, readyProviders, catalog } = providers;
  const meaning = parts.add(embeddingsPart({ ...ground, providers, models: localModels }));
  const creditUseListener: CreditUseListener = { onUse: () => undefined };
  const { usage } = parts.add(await usagePart({ ...ground, creditUse: creditUseListener }));
  const { alerts, spendingListener } = parts.add(alertsPart({ ...ground, allowList: outbound.allowList }));
  const { spending: spendingLimiter } = parts.add(
    spendingPart({ ...ground, usage, listener: spendingListener }),
  );
  const { sinks, history } = parts.add(await logSinksPart(ground));
  const otlp = parts.add(otlpPart(ground));
  const { recordings } = parts.add(recordingsPart(ground));
  const { requests, retentions } = parts.add(
    await requestLogPart({ ...ground, providers, history, recordings }),
  );
  parts.add(retentionPart({ ...ground, retentions }));
  moduleHosts.connect({
    stores: moduleStores,
    vectors: meaning.vectors,
    hasCall: async (id, accountId) => isRequestId(id) && (await requests.find(id, accountId)) !== undefined,
  });
  const moduleRoutes = createModuleRoutes({
    modules,
    builtIn: builtInNames,
    hosts: moduleHosts,
    rateLimiter: stores.shared.rateLimiter,
  });
  parts.add({ routes: [...moduleRoutes.values()].flat() });
  const { receipts, signer } = parts.add(await receiptsPart(ground));
  parts.add(auditLogPart({ ...ground, signer }));
  parts.add(await evidencePart(ground));
  const { sessions, findGuest } = parts.add(anonymousPart(ground));
  const issuerAccess = openIssuerAccess(outbound);
  const identity = parts.add(
    identityPart({
      ...ground,
      issuerAccess,
      audit,
      usage,
      alerts,
      directory: providerDirectory,
      address,
      findGuest,
      passwordCost: options.passwordCost,
    }),
  );
  const { callers: callerAuthenticator, access } = identity;
  const recorded = { metrics, usage, spending: spendingLimiter, requests, sinks, otlp, alerts };
  const vault = createVault(stores, rootSecrets);
  const mcpTools: McpToolsFinder = { toolsFor: () => noMcpTools };
  const calls = parts.add(
    pipelinesPart({
      ...ground,
      ...recorded,
      vault,
      moduleStores,
      moduleSealer,
      moduleFetches,
      allowList: outbound.allowList,
      providers,
      mcpTools,
      embeddingsPart: meaning,
    }),
  );
  const { pipelines, aliases } = calls;
  const own = await pipelines.describeGateway();
  for (const fault of own.faults)
    log.warn({ fault }, 'the stored pipeline is wrong: calls are rejected until it is changed');
  calls.warmUp(own.pipeline?.stages ?? []);
  parts.add(providerKeysPart({ ...ground, ...calls, vault, providers }));
  mcpTools.toolsFor = addMcpParts(parts, {
    ...{ ...ground, ...outbound, serving: calls.mcp },
    ...{ audit, identity, address, metrics, requests, sinks, receipts, otlp },
    cacheBackend: calls.cacheBackend,
  });
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
      moduleStores,
      spending: spendingLimiter,
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
      audit,
      usage,
      identity,
      pipelines,
      ownProviders: calls.ownProviders,
      spending: spendingLimiter,
      sessions,
      embeddingsPart: meaning,
      recordings,
      stepAsides: calls.stepAsides,
      stopCharging,
    }),
  );
  const { settleRoles } = parts.add(scimPart({ ...ground, audit, address, embeddingsPart: meaning }));
  parts.add(
    signOnPart({ ...ground, audit, identity, address, issuerAccess, embeddingsPart: meaning, settleRoles }),
  );
  parts.add(movingPart(ground));
  parts.add(configurationPart({ settings, reload: options.reload }));
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
      ownProviders: calls.ownProviders,
      dataPlane,
      paidRoutes: payments.paidRoutes,
    }),
  );

  checkRouteCollisions(parts.routes);
  const pages = settings.dashboard === 'on' ? openPages() : undefined;
  const serving = createRequestServing({
    settings,
    log,
    via,
    clock: stores.clock,
    refusals,
    audit,
    holds: stores.database.legalHolds,
    access,
    routes: parts.routes,
    isDraining,
    pages,
  });
  return {
    ...serving,
    settings,
    parts,
    metricsView: {
      gauges: parts.gauges,
      tags: settings.metricTags,
      isInCatalog(name, model) {
        const provider = providerDirectory.providers.get(name);
        return provider !== undefined && catalog.hasName(provider, model);
      },
    },
    pipeline: own.pipeline?.text ?? own.text,
    readyProviders: readyProviders.map((provider) => provider.name),
    hasDashboard: pages?.dashboard !== undefined,
    unknownVariables,
    diagnose,
    recordSettings,
    openCalls: () => dataPlane.openCalls() + payments.openCalls(),
    abortAll() {
      dataPlane.abortAll();
      payments.abortAll();
    },
  };
}

/** The `via` value that identifies calls through this gateway or one with the same secret. */
function viaHeaderOf(rootSecrets: RootSecrets): string {
  const [loopKey] = rootSecrets.deriveKeys('loop');
  return `1.1 weir-${Buffer.from(loopKey).toString('hex', 0, 8)}`;
}
