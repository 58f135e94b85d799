import { randomUUID } from 'node:crypto';
import type { ProviderKeyVault } from '../../accounts/provider-key-vault.ts';
import { Sealer } from '../../accounts/sealer.ts';
import { raiseHealthChange } from '../../alerts/call-alerts.ts';
import { recordAttempt } from '../../billing/record-attempt.ts';
import { isReported } from '../../billing/savings-report.ts';
import type { SpendingLimiter } from '../../billing/spending-limiter.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import { AccountConfigurations } from '../../calls/account-configurations.ts';
import { Aliases } from '../../calls/aliases/aliases.ts';
import { archiveRoutes } from '../../calls/archive/archive-routes.ts';
import { Archives } from '../../calls/archive/archives.ts';
import { BackgroundTasks } from '../../calls/background-tasks.ts';
import { BackgroundUsage } from '../../calls/background-usage.ts';
import type { CallReports } from '../../calls/call-reports.ts';
import { CallRunner } from '../../calls/call-runner.ts';
import { CallSettlement } from '../../calls/call-settlement.ts';
import { CandidateFinder, type CandidateFinderParts } from '../../calls/candidates/candidates.ts';
import { Compactions } from '../../calls/compactions.ts';
import { rulesModule } from '../../calls/configuration-kinds.ts';
import { Continuations } from '../../calls/continuations.ts';
import { CredentialNames } from '../../calls/credential-names.ts';
import { DecisionLogs } from '../../calls/decision-logs.ts';
import { EnvironmentModules } from '../../calls/environment-modules.ts';
import { HealthMonitor } from '../../calls/health/health-monitor.ts';
import { createKitFactory, type KitParts } from '../../calls/kit.ts';
import { localEmbeddings } from '../../calls/local-embeddings.ts';
import { meterAttempts } from '../../calls/metered-attempt.ts';
import { ModuleCaches } from '../../calls/module-caches.ts';
import type { OwnProviders } from '../../calls/own-providers/own-providers.ts';
import { PipelineSelector } from '../../calls/pipeline-selector.ts';
import { AccountPrompts } from '../../calls/prompts/account-prompts.ts';
import { PromptInsertion } from '../../calls/prompts/prompt-insertion.ts';
import { RequestKeys } from '../../calls/request-keys.ts';
import { splitInputs } from '../../calls/split-inputs.ts';
import { StepAsides } from '../../calls/step-asides.ts';
import { StoredPipeline } from '../../calls/stored-pipeline.ts';
import { StoredRules } from '../../calls/stored-rules.ts';
import { TargetChecks } from '../../calls/target-checks.ts';
import type { AllowList } from '../../egress/allow-list.ts';
import type { Egress } from '../../egress/egress.ts';
import type { ModuleFetches } from '../../egress/module-fetches.ts';
import { PrefixGuard } from '../../kernel/conversation/prefix-guard.ts';
import type { Handler, Module } from '../../kernel/module.ts';
import { Pipelines as Compiled, type Pipeline } from '../../kernel/pipeline.ts';
import { expandPipelineNames } from '../../kernel/pipeline-list.ts';
import type { Alerts } from '../../kernel/ports/alerts.ts';
import type { McpToolsFinder } from '../../kernel/ports/mcp.ts';
import type { ModuleStores } from '../../kernel/ports/module-store.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import type { CacheBackend } from '../../kernel/ports/scoped-cache.ts';
import { createRequestIds } from '../../kernel/request-ids.ts';
import type { Stage } from '../../kernel/stage.ts';
import { createBackgroundReader } from '../../providers/background-answer.ts';
import { abilitiesOf, abilitySourceOf } from '../../providers/catalog/abilities/index.ts';
import { ModelPlaces } from '../../providers/catalog/model-places.ts';
import { createRelayUpstream, type RelayVariant } from '../../providers/relay-upstream.ts';
import { createTurnUpstream, type TurnSource } from '../../providers/sessions/turn-upstream.ts';
import { createUpstream, type Upstream } from '../../providers/upstream.ts';
import { moduleApiRoute } from '../../server/api/module-routes.ts';
import { aliasRoutes } from '../../server/api/routes/aliases.ts';
import { cacheRoutes } from '../../server/api/routes/cache.ts';
import { configurationRoutes } from '../../server/api/routes/configurations.ts';
import { guardrailsRoutes } from '../../server/api/routes/guardrails.ts';
import { promptRoutes } from '../../server/api/routes/prompts.ts';
import { CachedTurnStore } from '../../storage/cached-turn-store.ts';
import { SealedCacheBackend } from '../../storage/sealed-cache-backend.ts';
import type { Log } from '../../telemetry/log.ts';
import type { LogSink } from '../../telemetry/log-sinks/log-sink.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestRecorder } from '../../telemetry/request-log/request-recorder.ts';
import { anthropicMessages, providerFormatByName } from '../../wire/index.ts';
import { createCallReports } from '../call-reports.ts';
import { healthChecks } from '../checks/health.ts';
import { type DryPipelinesParts, openDryPipelines } from '../dry-pipelines.ts';
import { moduleSettingsOf } from '../module-settings.ts';
import type { Part } from '../part.ts';
import { pipelineGauges } from '../pipeline-gauges.ts';
import { requireConfigurations } from '../require-configurations.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { EmbeddingsPart } from './embeddings.ts';
import { createMcpServing, type McpServing } from './mcp-serving.ts';
import type { OtlpPart } from './otlp.ts';
import { createOwnProviders } from './own-providers.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

export interface PipelinesPart extends Part {
  readonly pipelines: PipelineSelector;
  /** Pipelines for one dry run. */
  openDryPipelines(): PipelineSelector;
  readonly prices: Prices;
  /** Prepares what the first calls of these modules would wait for. */
  warmUp(stages: readonly Stage[]): void;
  readonly aliases: Aliases;
  /** Puts stored prompts into calls. */
  readonly prompts: PromptInsertion;
  readonly callRunner: CallRunner;
  readonly continuations: Continuations;
  readonly reports: CallReports;
  readonly targets: TargetChecks;
  /** The metered upstream of a relay. */
  relayUpstream(variant: RelayVariant): Handler;
  /** The metered upstream of a response in a session. */
  turnUpstream(source: TurnSource): Handler;
  /** A pipeline without modules. */
  readonly noModules: Pipeline;
  readonly health: HealthMonitor;
  readonly credentialNames: CredentialNames;
  readonly stepAsides: StepAsides;
  readonly ownProviders: OwnProviders;
  readonly mcp: McpServing;
  /** Sealed where others can look into it. */
  readonly cacheBackend: CacheBackend;
}

interface PipelinesParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  /** The `via` value that marks calls through this gateway. */
  readonly via: string;
  readonly modules: ReadonlyMap<string, Module>;
  readonly stores: Stores;
  readonly moduleStores: ModuleStores;
  readonly moduleSealer: Sealer;
  readonly metrics: Metrics;
  readonly moduleFetches: ModuleFetches;
  readonly providers: ProvidersPart;
  readonly vault: ProviderKeyVault;
  readonly embeddingsPart: EmbeddingsPart;
  readonly usage: UsageRecorder;
  readonly spending: SpendingLimiter;
  readonly requests: RequestRecorder;
  readonly sinks: readonly LogSink[];
  readonly otlp: Pick<OtlpPart, 'reporter' | 'startSpan'>;
  readonly alerts: Alerts;
  readonly egress: Egress;
  readonly allowList: AllowList;
  /** The tools of MCP servers. */
  readonly mcpTools: McpToolsFinder;
}

/** Pipelines, module kits, and the reporting of calls. */
export function pipelinesPart(parts: PipelinesParts): PipelinesPart {
  const { settings, log, roots: rootSecrets, via, stores, usage, spending: spendingLimiter, otlp } = parts;
  const {
    catalog: modelCatalog,
    directory: providerDirectory,
    egress,
    means: signing,
    estimator,
  } = parts.providers;
  const prices: Prices = {
    priceOf: ({ provider, model }, atMs) => modelCatalog.priced(provider, model, atMs),
    bill: ({ provider, model }, used, { model: answered, refusal } = {}) =>
      modelCatalog.bill({ provider, model, answered, refusal }, used),
  };
  const settlement = new CallSettlement(log);
  const reports = createCallReports({ ...parts, clock: stores.clock, settlement });
  // Sealed, since others may read Redis.
  const turnSealing = settings.stores === undefined ? undefined : new Sealer(rootSecrets.deriveKeys('turns'));
  const [nameKey] = rootSecrets.deriveKeys('credential names');
  const health = new HealthMonitor({
    nameKey,
    processId: randomUUID(),
    clock: stores.clock,
    rateLimiter: stores.shared.rateLimiter,
    board: stores.shared.health,
    onChange: (change) => raiseHealthChange(parts.alerts, change),
  });
  const targets = new TargetChecks({
    directory: providerDirectory,
    catalog: modelCatalog,
    unknownModels: settings.unknownModels,
  });
  const backgroundUsage = new BackgroundUsage(createBackgroundReader({ egress, signing, via }));
  const metered = (upstream: Upstream) =>
    meterAttempts({
      upstream,
      prices,
      onAttemptEnd: (attempt, exchange) => recordAttempt(usage, attempt, exchange, stores.clock.now()),
      settlement,
      health,
      backgroundUsage,
    });
  const relayUpstream = createRelayUpstream({
    ...{ egress, signing, via },
    localEndpoints: { embeddings: localEmbeddings(parts.embeddingsPart.embeddings) },
  });
  const continuations = new Continuations(
    new CachedTurnStore(stores.turnCacheBackend, turnSealing),
    new Compactions(new Sealer(rootSecrets.deriveKeys('compactions'))),
  );
  const callRunner = new CallRunner({
    targets,
    upstream: metered(
      createUpstream({
        egress,
        signing,
        via,
        outputTokensMax: ({ provider, model }) => modelCatalog.find(provider, model)?.outputTokensMax,
      }),
    ),
    continuations,
    usage,
    reports,
    clock: stores.clock,
    settlement,
    ...(otlp.startSpan !== undefined && { startSpan: otlp.startSpan }),
    isAirgapped: settings.isAirgapped,
    isReported: (name) => isReported(parts.modules.get(name)),
  });
  const backgroundTasks = new BackgroundTasks({
    onFault: (module, err) => log.error({ module, err }, 'a background task of a module failed'),
  });
  const requestKeys = new RequestKeys(nameKey);
  // The same for cached answers of modules.
  const cacheBackend =
    settings.stores === undefined
      ? stores.cacheBackend
      : new SealedCacheBackend(stores.cacheBackend, new Sealer(rootSecrets.deriveKeys('shelves')));
  const { vectors } = parts.embeddingsPart;
  const archives = new Archives({
    stores: parts.moduleStores,
    clock: stores.clock,
    bytesMax: settings.archiveBytes,
  });
  const days = (accountId: string, from: string) => usage.modules({ accountId, from, to: '9' });
  const stepAsides = new StepAsides({ stores: stores.database.modules, clock: stores.clock, days });
  const places = new ModelPlaces(modelCatalog, providerDirectory);
  const candidateParts: CandidateFinderParts = {
    prices,
    health,
    clock: stores.clock,
    target: (model) => providerDirectory.find(model),
    placesOf: (target, own) => places.of(target, own),
    abilitiesOf: (target) => abilitiesOf(target, modelCatalog.find(target.provider, target.model)?.features),
    abilitySourceOf,
    countInput: (request, all) => estimator.estimateAll(request, all),
  };
  const decisionSealer = new Sealer(rootSecrets.deriveKeys('ledger'));
  const kitParts: KitParts = {
    cacheBackend,
    stores: parts.moduleStores,
    counters: stores.shared.counters,
    embeddings: parts.embeddingsPart.embeddings,
    textModels: parts.embeddingsPart.textModels,
    vectors,
    archives,
    decisionLogs: new DecisionLogs({
      stores: stores.database.modules,
      clock: stores.clock,
      sealing: decisionSealer,
    }),
    clock: stores.clock,
    catalog: prices,
    requestKeys,
    mcp: parts.mcpTools,
    backgroundTasks,
    runModel: {
      wire: anthropicMessages,
      newId: createRequestIds(stores.clock),
      runModuleCall: (exchange, next) => callRunner.runModuleCall(exchange, next),
    },
    usage,
    stepAsides,
    budget: (budgetHolder, call, ofCall) => spendingLimiter.budgetFor(budgetHolder, call, ofCall),
    wireByName: providerFormatByName,
    target: (model) => providerDirectory.find(model),
    fetchFor: (module) => parts.moduleFetches.fetchFor(module),
    candidates: new CandidateFinder(candidateParts),
  };
  const instance = requireConfigurations(settings, parts.modules);
  const compiled = new Compiled(
    parts.modules,
    createKitFactory(kitParts),
    new PrefixGuard({ cacheBackend: stores.cacheBackend, prices, clock: stores.clock }),
    instance,
    instance.pipelines,
  );
  const storedPipeline =
    settings.mode === 'local'
      ? new StoredPipeline({
          stores: stores.database.modules,
          versions: stores.shared.versions,
          clock: stores.clock,
        })
      : undefined;
  const configurations = new AccountConfigurations({
    storedPipeline,
    table: stores.database.configurations,
    apiKeys: stores.database.apiKeys,
    versions: stores.shared.versions,
    modules: parts.modules,
    instance,
    clock: stores.clock,
  });
  const prompts = new AccountPrompts({
    table: stores.database.prompts,
    versions: stores.shared.versions,
    clock: stores.clock,
  });
  const ownProviders = createOwnProviders({ ...parts, configurations });
  const mcp = createMcpServing({
    ...parts,
    configurations,
    calls: settings.stores === undefined && settings.workers === 1 ? undefined : cacheBackend,
  });
  const aliases = new Aliases({
    configurations,
    instance,
    modules: parts.modules,
    directory: providerDirectory,
    ownProviders,
  });
  const selectorParts = {
    environment: settings.pipeline,
    environmentSince: () => environmentModules.since,
    stored: storedPipeline,
    configurations,
  };
  const pipelines = new PipelineSelector({ ...selectorParts, pipelines: compiled });
  // Once the list is known to be right.
  const environmentModules = new EnvironmentModules({
    stores: stores.database.modules,
    clock: stores.clock,
    text: settings.pipeline && expandPipelineNames(settings.pipeline, instance.pipelines),
    onError: (err) => log.warn({ err }, 'the times of the modules in WEIR_PIPELINE could not be stored'),
  });
  const dryParts: DryPipelinesParts = {
    kitParts: { ...kitParts, embeddings: parts.embeddingsPart.dryEmbeddings },
    candidateParts,
    days,
    spending: spendingLimiter,
    stores,
    sealers: { modules: parts.moduleSealer, decisions: decisionSealer },
    archiveBytes: settings.archiveBytes,
    modules: parts.modules,
    settingsOf: (name) => moduleSettingsOf(name, settings.rest),
    instance,
    selector: selectorParts,
  };
  const guardrails = parts.modules.get(rulesModule);
  const rules =
    guardrails &&
    new StoredRules({
      configurations,
      instance,
      module: guardrails,
      textModels: parts.embeddingsPart.textModels,
    });
  for (const fault of aliases.instanceFaults()) log.warn({ fault }, 'an alias of the operator is wrong');
  const warmUp = (stages: readonly Stage[]) => {
    for (const { module, options } of stages)
      module
        .warmUp?.({ ...parts.embeddingsPart, options })
        .catch((err) => log.error({ err, module: module.name }, 'a module could not warm up'));
  };
  return {
    pipelines,
    openDryPipelines: () => openDryPipelines(dryParts),
    prices,
    warmUp,
    aliases,
    prompts: new PromptInsertion(prompts),
    callRunner,
    continuations,
    reports,
    targets,
    relayUpstream: (variant) => splitInputs(metered(relayUpstream(variant))),
    turnUpstream: (source) => metered(createTurnUpstream(source)),
    noModules: compiled.compile('none'),
    health,
    credentialNames: new CredentialNames(nameKey),
    stepAsides,
    ownProviders,
    mcp,
    cacheBackend,
    routes: [
      ...cacheRoutes(new ModuleCaches({ modules: parts.modules, cacheBackend, vectors })),
      ...archiveRoutes(archives).map((route) => moduleApiRoute('archive', route, stores.shared.rateLimiter)),
      ...configurationRoutes({ configurations, instance }),
      ...aliasRoutes(aliases),
      ...promptRoutes(prompts),
      ...(rules === undefined ? [] : guardrailsRoutes(rules, stores.shared.rateLimiter)),
    ],
    gauges: pipelineGauges({ compiled, requestKeys, health, callRunner, settlement, backgroundTasks }),
    checks: healthChecks(health),
    features: ['pipelines', 'configurations', 'aliases', 'prompts'],
    async close(untilMs) {
      if (!(await backgroundTasks.flush(untilMs - performance.now())))
        log.error({}, 'some background tasks of modules were not finished');
      await callRunner.close();
      reports.flush();
      await environmentModules.since;
      await health.close();
    },
  };
}
