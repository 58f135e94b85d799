import type { Aliases } from '../../calls/aliases/aliases.ts';
import type { CallerAuthenticator } from '../../calls/caller-authenticator.ts';
import type { OwnProviders } from '../../calls/own-providers/own-providers.ts';
import type { PipelineSelector } from '../../calls/pipeline-selector.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Module } from '../../kernel/module.ts';
import type { Provider } from '../../kernel/provider.ts';
import { systemClock } from '../../lib/clock.ts';
import { permitted } from '../../lib/permitted.ts';
import { plannedModules } from '../../modules/index.ts';
import { ModelList } from '../../providers/model-list.ts';
import type { ApiRoute } from '../../server/api/route.ts';
import { airgapRoutes } from '../../server/api/routes/airgap.ts';
import { diagnosticsRoutes } from '../../server/api/routes/diagnostics.ts';
import { healthRoutes } from '../../server/api/routes/health.ts';
import { informationRoutes, type PaidRoute } from '../../server/api/routes/information.ts';
import { modelsRoutes } from '../../server/api/routes/models.ts';
import { modulesRoutes } from '../../server/api/routes/modules.ts';
import { operatorStorageRoute } from '../../server/api/routes/operator-storage.ts';
import { pipelineRoutes } from '../../server/api/routes/pipeline.ts';
import { welcomeRoutes } from '../../server/api/routes/welcome.ts';
import { MemoryRateLimiter } from '../../storage/memory/memory-rate-limiter.ts';
import { modelDialects, wireFormats } from '../../wire/index.ts';
import type { Diagnose } from '../diagnostics.ts';
import type { Part } from '../part.ts';
import type { ProcessRegistry } from '../process-registry.ts';
import type { Settings } from '../settings.ts';
import { version } from '../version.ts';
import type { DataPlanePart } from './data-plane.ts';
import type { EmbeddingsPart } from './embeddings.ts';
import type { PipelinesPart } from './pipelines.ts';
import type { ProvidersPart } from './providers.ts';
import { logRowsMaxOf } from './request-log.ts';
import type { Stores } from './stores.ts';

interface InformationParts {
  readonly settings: Settings;
  readonly startedAtMs: number;
  readonly modules: ReadonlyMap<string, Module>;
  readonly stores: Stores;
  readonly egress: Egress;
  readonly providers: ProvidersPart;
  readonly embeddingsPart: EmbeddingsPart;
  readonly callers: CallerAuthenticator;
  readonly pipelines: PipelineSelector;
  readonly warmUp: PipelinesPart['warmUp'];
  readonly aliases: Aliases;
  readonly ownProviders: OwnProviders;
  readonly dataPlane: DataPlanePart;
  readonly paidRoutes: readonly PaidRoute[];
  /** A regular writer to the database, which knows whether writes work. */
  readonly recorders: readonly Recorder[];
  readonly processRegistry: ProcessRegistry;
  readonly diagnose: Diagnose;
  /** The features of all parts. */
  readonly features: readonly string[];
  readonly moduleRoutes: ReadonlyMap<string, readonly ApiRoute[]>;
  readonly isShuttingDown: () => boolean;
}

interface Recorder {
  readonly isUnavailable: boolean;
}

/** Health, models, capabilities and the API description. */
export function informationPart(parts: InformationParts): Part {
  const { settings, callers: callerAuthenticator, pipelines, dataPlane: dataPlanePart } = parts;
  const { providers, readyProviders, catalog: modelCatalog, directory: providerDirectory } = parts.providers;
  const { credentials } = dataPlanePart;
  const { database } = parts.stores;
  return {
    routes: [
      ...welcomeRoutes(settings.mode),
      ...healthRoutes({
        revision: settings.revision,
        startedAtMs: parts.startedAtMs,
        now: () => systemClock.now(),
        providers: Object.fromEntries(
          providers.map((provider) => [provider.name, isConfigured(provider, parts)]),
        ),
        isShuttingDown: parts.isShuttingDown,
        requiredStores: parts.stores.required,
        otherStores: {
          database: {
            ping: () => database.ping(),
            isWritable: () => !parts.recorders.some(({ isUnavailable }) => isUnavailable),
          },
          ...parts.stores.optional,
        },
      }),
      ...diagnosticsRoutes({
        version,
        revision: settings.revision,
        mode: settings.mode,
        startedAtMs: parts.startedAtMs,
        diagnose: parts.diagnose,
        // Of this process: diagnostics must not depend on Redis.
        attempts: new MemoryRateLimiter(systemClock),
        openCalls: () => dataPlanePart.openCalls(),
        processes: () => parts.processRegistry.list(),
      }),
      operatorStorageRoute({ database, retentions: retentionsOf(settings), clock: parts.stores.clock }),
      ...airgapRoutes({
        isAirgapped: settings.isAirgapped,
        isConfined: !permitted.network,
        providers: providers
          .filter(({ answerLocally }) => answerLocally === undefined)
          .map(({ name }) => name),
        startedAtMs: parts.startedAtMs,
        egress: parts.egress,
      }),
      ...pipelineRoutes({ callerAuthenticator, pipelines, warmUp: parts.warmUp, version }),
      ...modelsRoutes({
        dialects: modelDialects,
        callers: callerAuthenticator,
        credentials,
        models: new ModelList(providerDirectory, modelCatalog),
        aliases: parts.aliases,
        ownProviders: parts.ownProviders,
        readyProviders: new Set(readyProviders),
      }),
      ...modulesRoutes(parts.modules.values()),
      ...informationRoutes({
        version,
        mode: settings.mode,
        catalog: modelCatalog,
        directory: providerDirectory,
        modules: [...parts.modules.values()],
        planned: plannedModules,
        formats: wireFormats,
        tierLimits: settings.tierLimits,
        features: parts.features,
        moduleRoutes: parts.moduleRoutes,
        paidRoutes: parts.paidRoutes,
        embeddings: () => parts.embeddingsPart.embeddings.state(),
      }),
    ],
  };
}

/** Whether the operator has configured a credential for the provider, or its URL if it needs none. */
function isConfigured(provider: Provider, { settings, providers: providersPart }: InformationParts): boolean {
  if (provider.answerLocally !== undefined) return false;
  return providersPart.readyProviders.includes(provider) || settings.credentials.has(provider.name);
}

function retentionsOf(settings: Settings) {
  const dayMs = 86_400_000;
  const days = settings.requestLog.retentionMs / dayMs;
  const { retentionMs, totalBytesMax } = settings.recordings;
  return {
    request_log: { days, rowsMax: logRowsMaxOf(settings) },
    log_sums: { days },
    recordings: { days: retentionMs / dayMs, bytesMax: totalBytesMax },
  };
}
