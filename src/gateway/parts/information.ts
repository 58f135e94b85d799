import type { Callers } from '../../calls/callers.ts';
import type { PipelineChoice } from '../../calls/pipeline-choice.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Module } from '../../kernel/module.ts';
import type { Provider } from '../../kernel/provider.ts';
import { plannedModules } from '../../modules/index.ts';
import { ModelList } from '../../providers/model-list.ts';
import { healthRoutes } from '../../server/own/routes/health.ts';
import { informationRoutes, type PaidRoute } from '../../server/own/routes/information.ts';
import { modelsRoutes } from '../../server/own/routes/models.ts';
import { modulesRoutes } from '../../server/own/routes/modules.ts';
import { pipelineRoutes } from '../../server/own/routes/pipeline.ts';
import { welcomeRoutes } from '../../server/own/routes/welcome.ts';
import { modelDialects, wireFormats } from '../../wire/index.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import { version } from '../version.ts';
import type { DataPlane } from './data-plane.ts';
import type { EmbeddingsPart } from './embeddings.ts';
import type { Providers } from './providers.ts';
import type { Stores } from './stores.ts';

interface InformationParts {
  readonly settings: Settings;
  readonly startedAtMs: number;
  readonly modules: ReadonlyMap<string, Module>;
  readonly stores: Stores;
  readonly providers: Providers;
  readonly meaning: EmbeddingsPart;
  readonly callers: Callers;
  readonly pipelines: PipelineChoice;
  readonly dataPlane: DataPlane;
  readonly paidRoutes: readonly PaidRoute[];
  /** What writes to the database again and again: it can tell whether that works. */
  readonly recorders: readonly Recorder[];
  /** Of all parts. */
  readonly features: readonly string[];
  readonly isLeaving: () => boolean;
}

interface Recorder {
  readonly isAway: boolean;
}

/** What this gateway is, has and offers. */
export function informationPart(parts: InformationParts): Part {
  const { settings, callers, pipelines, dataPlane } = parts;
  const { providers, ready, catalog, directory } = parts.providers;
  const { credentials } = dataPlane;
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
        isLeaving: parts.isLeaving,
        stores: {
          ...parts.stores.pingable,
          database: { ping: () => database.ping(), isWritable: () => !parts.recorders.some(isAway) },
        },
      }),
      ...pipelineRoutes(callers, pipelines, version),
      ...modelsRoutes({
        dialects: modelDialects,
        callers,
        credentials,
        models: new ModelList(directory, catalog),
        providers,
        ready: new Set(ready),
      }),
      ...modulesRoutes(parts.modules.values()),
      ...informationRoutes({
        version,
        mode: settings.mode,
        catalog,
        directory,
        modules: parts.modules.values(),
        planned: plannedModules,
        formats: wireFormats,
        tierLimits: settings.tierLimits,
        features: parts.features,
        paidRoutes: parts.paidRoutes,
        embeddings: () => parts.meaning.embeddings.state(),
      }),
    ],
  };
}

/** What `/health` says of a provider: whether the operator has a credential for it, or its address where it needs none. */
function isConfigured(provider: Provider, { settings, providers }: InformationParts): boolean {
  if (provider.local !== undefined) return false;
  return providers.ready.includes(provider) || settings.credentials.has(provider.name);
}

function isAway(recorder: Recorder): boolean {
  return recorder.isAway;
}
