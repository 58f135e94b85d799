import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { ProviderKeyVault, WeightedKey } from '../../accounts/provider-key-vault.ts';
import type { SpendingLimiter } from '../../billing/spending-limiter.ts';
import { Admission } from '../../calls/admission.ts';
import { BackgroundAnswers } from '../../calls/background-answers.ts';
import { Batches } from '../../calls/batches/batches.ts';
import { CallLimiter } from '../../calls/call-limiter.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import type { CallerAdmissions } from '../../calls/caller-admission.ts';
import { Credentials } from '../../calls/credentials.ts';
import { DryRuns } from '../../calls/dry-run/dry-runs.ts';
import { KeyChooser } from '../../calls/key-chooser.ts';
import type { CallRecordings } from '../../calls/recordings/call-recordings.ts';
import { RejectedKeyTests } from '../../calls/rejected-key-tests.ts';
import { StoredObjects } from '../../calls/stored-objects/stored-objects.ts';
import type { ModuleStores } from '../../kernel/ports/module-store.ts';
import { createRequestIds } from '../../kernel/request-ids.ts';
import { TagReader } from '../../kernel/tags.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { testKey } from '../../providers/key-test.ts';
import { createSessionConnector } from '../../providers/sessions/session-connection.ts';
import { createTokenCounter } from '../../providers/token-counter.ts';
import { dryRunRoutes } from '../../server/api/routes/dry-run.ts';
import { routeRoutes } from '../../server/api/routes/route.ts';
import { BatchRelays } from '../../server/batch-relays.ts';
import { BodyMemoryBudget } from '../../server/body-memory-budget.ts';
import { CountTokensHandler } from '../../server/count-tokens.ts';
import { createDataPlaneRoutes, type DataPlaneRoute } from '../../server/data-plane.ts';
import { FormSpools } from '../../server/form-spools.ts';
import { InferenceHandler } from '../../server/inference.ts';
import { limits as serverLimits } from '../../server/limits.ts';
import { passThroughRoutes } from '../../server/pass-through.ts';
import { RelayHandler } from '../../server/relay.ts';
import type { RequestContext } from '../../server/respond.ts';
import { Sessions } from '../../server/sessions/session-routes.ts';
import { SlowBodyMonitor } from '../../server/slow-body-monitor.ts';
import { callSocketRoutes } from '../../server/sockets/call-socket-route.ts';
import { StoredAnswerHandler } from '../../server/stored-answers.ts';
import { StoredObjectHandler } from '../../server/stored-objects.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Refusals } from '../../telemetry/refusals.ts';
import { sessionProtocols } from '../../wire/index.ts';
import { limits } from '../limits.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { IdentityPart } from './identity.ts';
import { ownBatchesPart } from './own-batches.ts';
import type { PipelinesPart } from './pipelines.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

export interface DataPlanePart extends Part {
  readonly credentials: Credentials;
  readonly admission: Admission;
  openCalls(): number;
  /** Aborts every open call. */
  abortAll(): void;
}

interface DataPlaneParts
  extends Pick<
    PipelinesPart,
    | 'pipelines'
    | 'openDryPipelines'
    | 'prices'
    | 'aliases'
    | 'prompts'
    | 'callRunner'
    | 'continuations'
    | 'reports'
    | 'targets'
    | 'relayUpstream'
    | 'turnUpstream'
    | 'noModules'
    | 'health'
    | 'credentialNames'
    | 'ownProviders'
  > {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  /** The `via` value that marks calls through this gateway. */
  readonly via: string;
  readonly stores: Stores;
  readonly moduleStores: ModuleStores;
  readonly spending: SpendingLimiter;
  readonly metrics: Metrics;
  readonly refusals: Refusals;
  readonly providers: ProvidersPart;
  readonly identity: IdentityPart;
  readonly callerAdmissions: CallerAdmissions;
  readonly receipts: CallReceipts;
  readonly recordings: CallRecordings;
  readonly vault: ProviderKeyVault;
  readonly builtInNames: ReadonlySet<string>;
  readonly formats: readonly WireFormat[];
}

/** The routes for model calls. */
export function dataPlanePart(parts: DataPlaneParts): DataPlanePart {
  const {
    settings,
    log,
    via,
    stores,
    metrics,
    identity,
    vault,
    callerAdmissions,
    pipelines,
    aliases,
    prompts,
    callRunner,
    reports,
    relayUpstream,
    formats,
  } = parts;
  const { directory: providerDirectory, egress, means: signing, estimator } = parts.providers;
  const { callers: callerAuthenticator, shapes } = identity;
  const keyTests = new RejectedKeyTests({
    health: parts.health,
    test: (provider, key) => testKey({ egress, signing, provider, key }),
    onTested(provider, isAccepted) {
      metrics.recordKeyTest(isAccepted);
      if (isAccepted) log.info({ provider: provider.name }, 'a rejected provider key works again');
    },
  });
  const credentialRules = {
    mode: settings.mode,
    directory: providerDirectory,
    shapes,
    vault,
    versions: stores.shared.versions,
    callers: callerAuthenticator,
    operator: operatorKeys(settings),
    names: parts.credentialNames,
  };
  const credentials = new Credentials({
    ...credentialRules,
    chooser: new KeyChooser(parts.health, (provider, key) => void keyTests.start(provider, key)),
  });
  const heldBytesMax = Math.max(
    limits.bodyMemoryBytesMin,
    getHeapStatistics().heap_size_limit * limits.bodyMemoryShareOfHeap,
  );
  const memoryBudget = new BodyMemoryBudget({
    totalBytesMax: heldBytesMax,
    callerBytesMax: Math.min(
      heldBytesMax * limits.bodyMemoryShareOfCaller,
      limits.bodyMemoryBytesOfCallerMax,
    ),
  });
  const slowBodyMonitor = new SlowBodyMonitor();
  const limiter = new CallLimiter({
    rates: stores.shared.callRates,
    instanceLimits: settings.callLimits,
    callers: callerAuthenticator,
    onRefused: (limit) => metrics.recordRateLimited(limit),
  });
  const admissionParts = {
    limiter,
    admissions: callerAdmissions,
    aliases,
    prompts,
    ownProviders: parts.ownProviders,
    targets: parts.targets,
    tags: new TagReader(settings.tagsFromMetadata),
    reports,
  };
  const admission = new Admission({ ...admissionParts, pipelines, credentials });
  // Tests no rejected keys.
  const dryCredentials = new Credentials({ ...credentialRules, chooser: new KeyChooser(parts.health) });
  const dryRuns = new DryRuns({
    openAdmission: () =>
      new Admission({
        ...admissionParts,
        pipelines: parts.openDryPipelines(),
        credentials: dryCredentials,
      }),
    targets: parts.targets,
    prices: parts.prices,
    countInput: (request, target) => estimator.estimate(request, target),
    canRun: (module) => parts.builtInNames.has(module),
  });
  const callParts = {
    callers: callerAuthenticator,
    admission,
    callRunner,
    receipts: parts.receipts,
    recordings: parts.recordings,
    memoryBudget,
    slowBodies: slowBodyMonitor,
    metrics,
    log,
    keepAliveMs: settings.keepAliveMs,
  };
  const backgroundAnswers = new BackgroundAnswers({
    continuations: parts.continuations,
    callRunner,
    clock: stores.clock,
    log,
  });
  const inferenceHandler = new InferenceHandler({ ...callParts, backgroundAnswers });
  const { dataDir } = settings;
  const spools = new FormSpools(join(dataDir === inMemoryDataDir ? tmpdir() : dataDir, 'uploads'));
  const relayHandler = new RelayHandler({ ...callParts, relayUpstream, spools });
  const storedAnswerHandler = new StoredAnswerHandler({
    callers: callerAuthenticator,
    continuations: parts.continuations,
    backgroundAnswers,
    relay: relayHandler,
    log,
  });
  const objects = new StoredObjects({ stores: parts.moduleStores, clock: stores.clock });
  const isLocal = settings.mode === 'local';
  const batches = new Batches({
    usage: stores.database.usage,
    objects,
    forgetCount: (holder) => parts.spending.forgetCount(holder),
    handOver: (call) => parts.spending.handOver(call),
    clock: stores.clock,
  });
  const served: DataPlaneRoute[] = [];
  const own = ownBatchesPart({
    ...{ settings, log, stores, objects, served, directory: providerDirectory },
    ...{ roots: parts.roots, callers: callerAuthenticator },
  });
  const storedObjectHandler = new StoredObjectHandler({
    ownBatches: own.relays,
    callers: callerAuthenticator,
    objects,
    credentialNames: parts.credentialNames,
    relay: relayHandler,
    batches: new BatchRelays({
      batches,
      objects,
      prices: parts.prices,
      directoryFor: (accountId) => parts.ownProviders.directoryFor({ accountId }),
      isLocal,
    }),
    log,
    isLocal,
    baseUrl: settings.baseUrl,
  });
  const requestId = createRequestIds(stores.clock);
  const onRefused: RequestContext['onRefused'] = (refusal, facts) => parts.refusals.record(refusal, facts);
  const sessions = new Sessions({
    callers: callerAuthenticator,
    admission,
    callRunner,
    turnUpstream: parts.turnUpstream,
    noModules: parts.noModules,
    connect: createSessionConnector({ egress, signing, via }),
    memoryBudget,
    limitsOf: (model) => {
      const target = providerDirectory.find(model);
      const { contextTokens, outputTokensMax } = (target && parts.prices.priceOf(target)) ?? {};
      return {
        ...(contextTokens !== undefined && { inputTokens: contextTokens }),
        ...(outputTokensMax !== undefined && { outputTokens: outputTokensMax }),
      };
    },
    requestId,
    lifeMs: settings.realtimeLifeMs,
    idleMs: settings.realtimeIdleMs,
    messageBytesMax: settings.realtimeMessageBytesMax,
    onRefused,
  });
  const openCalls = () => inferenceHandler.openCalls + relayHandler.openCalls + sessions.openCalls;
  const countTokensHandler = new CountTokensHandler({
    limiter,
    callers: callerAuthenticator,
    credentials,
    ownProviders: parts.ownProviders,
    pipelines,
    aliases,
    prompts,
    counter: createTokenCounter({ egress, signing, via }),
    estimator,
    memoryBudget,
    slowBodies: slowBodyMonitor,
    metrics,
    log,
  });
  const routes = createDataPlaneRoutes(formats, {
    answer: inferenceHandler,
    count: countTokensHandler,
    relay: (route) => {
      const ofAnswers = route.storedAnswer === undefined ? relayHandler : storedAnswerHandler;
      const handler = route.storedObject === undefined ? ofAnswers : storedObjectHandler;
      return { handle: (req, res, context, wire) => handler.handle(req, res, { context, wire, route }) };
    },
  });
  served.push(...routes);
  own.start();
  return {
    credentials,
    admission,
    openCalls,
    abortAll() {
      inferenceHandler.abortAll();
      relayHandler.abortAll();
      sessions.abortAll();
      own.abortAll();
    },
    routes: [
      ...own.routes,
      ...routeRoutes(callerAuthenticator, admission),
      ...dryRunRoutes({ dryRuns, recordings: parts.recordings, rateLimiter: stores.shared.rateLimiter }),
      ...served,
      ...passThroughRoutes({
        allowed: settings.passThrough,
        providers: providerDirectory.providers,
        relay: relayHandler,
        served,
        log,
      }),
      ...callSocketRoutes(formats, {
        callers: callerAuthenticator,
        call: (req, res, context, wire) => inferenceHandler.handle(req, res, context, wire),
        memoryBudget,
        requestId,
        lifeMs: serverLimits.callSocket.lifeMs,
        onRefused,
      }),
      ...sessions.routes(sessionProtocols),
    ],
    gauges: [
      ...own.gauges,
      { name: 'weir_open_calls', help: 'Open calls', read: openCalls },
      { name: 'weir_realtime_sessions', help: 'Open realtime sessions', read: () => sessions.size },
      {
        name: 'weir_form_disk_bytes',
        help: 'Bytes of forms on disk until their field "model" arrives',
        read: () => spools.bytes,
      },
      {
        name: 'weir_held_request_bytes',
        help: `Bytes of memory for in-flight requests, max ${Math.floor(heldBytesMax)}`,
        read: () => memoryBudget.bytes,
      },
      {
        name: 'weir_orphaned_slots',
        help: 'Counted calls that have ended but are not settled; must be 0',
        read: () => Math.max(0, (identity.quota?.unsettledSlots ?? 0) - openCalls()),
      },
    ],
    features: ['streaming'],
    async drain(untilMs) {
      await own.close(untilMs);
      while (openCalls() > 0 && performance.now() < untilMs) await sleep(20);
    },
    async close(untilMs) {
      await own.close(untilMs);
      await backgroundAnswers.close();
    },
  };
}

function operatorKeys({ credentials, keyPools }: Settings): ReadonlyMap<string, readonly WeightedKey[]> {
  const single = [...credentials].map(([provider, secret]) => [provider, [{ secret, weight: 1 }]] as const);
  return new Map<string, readonly WeightedKey[]>([...single, ...keyPools]);
}
