import type { Sealer } from '../accounts/sealer.ts';
import type { SpendingLimiter } from '../billing/spending-limiter.ts';
import { Archives } from '../calls/archive/archives.ts';
import { CandidateFinder, type CandidateFinderParts } from '../calls/candidates/candidates.ts';
import { DecisionLogs } from '../calls/decision-logs.ts';
import { dryBudget } from '../calls/dry-run/dry-budget.ts';
import type { InstanceConfigurations } from '../calls/instance-configurations.ts';
import { createKitFactory, type KitParts } from '../calls/kit.ts';
import { PipelineSelector, type PipelineSelectorParts } from '../calls/pipeline-selector.ts';
import { StepAsides, type StepAsidesParts } from '../calls/step-asides.ts';
import { PrefixGuard } from '../kernel/conversation/prefix-guard.ts';
import type { Module, ModuleHost } from '../kernel/module.ts';
import { Pipelines } from '../kernel/pipeline.ts';
import { noMcpTools } from '../kernel/ports/mcp.ts';
import type { ModuleStores } from '../kernel/ports/module-store.ts';
import { builtInModules } from '../modules/index.ts';
import { DryCacheBackend } from '../storage/dry/dry-cache-backend.ts';
import { DryCollectionTable } from '../storage/dry/dry-collection-table.ts';
import { dryCounters } from '../storage/dry/dry-counters.ts';
import { DryKeyValueStores } from '../storage/dry/dry-key-value-stores.ts';
import { dryVectors } from '../storage/dry/dry-vectors.ts';
import { ModuleStoresWithCollections } from '../storage/module-stores.ts';
import type { Stores } from './parts/stores.ts';

export interface DryPipelinesParts {
  /** Those of calls. */
  readonly kitParts: KitParts;
  readonly candidateParts: CandidateFinderParts;
  readonly days: StepAsidesParts['days'];
  readonly spending: Pick<SpendingLimiter, 'stateOf'>;
  readonly stores: Stores;
  readonly sealers: { readonly modules: Sealer; readonly decisions: Sealer };
  readonly archiveBytes: number;
  readonly modules: ReadonlyMap<string, Module>;
  settingsOf: ModuleHost['settings'];
  readonly instance: InstanceConfigurations;
  readonly selector: Omit<PipelineSelectorParts, 'pipelines'>;
}

/**
 * Pipelines for one dry run: they read what calls read, and write, count, fetch and ask nothing. The built-in modules are
 * created anew, so that nothing stays in their memory; other modules are left out of calls, because nobody knows what they do.
 */
export function openDryPipelines(parts: DryPipelinesParts): PipelineSelector {
  const { kitParts, candidateParts, stores, sealers, instance } = parts;
  const { clock, database } = stores;
  const values = new DryKeyValueStores(database.modules, clock);
  const entries = new DryCollectionTable(database.collections);
  const moduleStores = new ModuleStoresWithCollections({ values, entries, sealer: sealers.modules, clock });
  const vectors = dryVectors(kitParts.vectors);
  const kits = createKitFactory({
    ...kitParts,
    cacheBackend: new DryCacheBackend(kitParts.cacheBackend),
    counters: dryCounters(kitParts.counters),
    stores: moduleStores,
    vectors,
    archives: new Archives({ stores: moduleStores, clock, bytesMax: parts.archiveBytes }),
    decisionLogs: new DecisionLogs({ stores: values, clock, sealing: sealers.decisions }),
    backgroundTasks: { add: ({ release }) => release?.() },
    runModel: { ...kitParts.runModel, runModuleCall: () => Promise.reject(notInDryRun('ask a model')) },
    usage: { recordModule: () => undefined },
    stepAsides: new StepAsides({ stores: values, clock, days: parts.days }),
    mcp: { toolsFor: () => noMcpTools },
    budget: (holder, _call, ofCall) => dryBudget(parts.spending, holder, ofCall),
    fetchFor: () => () => Promise.reject(notInDryRun('send requests')),
    candidates: new CandidateFinder({ ...candidateParts, health: withoutProbes(candidateParts) }),
  });
  const own = createModules(parts, moduleStores, vectors);
  const pipelines = new Pipelines(
    new Map([...parts.modules].map(([name, module]) => [name, own.get(name) ?? passOn(module)])),
    kits,
    new PrefixGuard({
      cacheBackend: new DryCacheBackend(stores.cacheBackend),
      prices: kitParts.catalog,
      clock,
    }),
    instance,
    instance.pipelines,
  );
  return new PipelineSelector({ ...parts.selector, pipelines });
}

function createModules(
  { stores: { clock }, settingsOf }: DryPipelinesParts,
  moduleStores: ModuleStores,
  vectors: KitParts['vectors'],
): ReadonlyMap<string, Module> {
  const created = builtInModules.map((make) => {
    const module: Module = make({
      clock,
      log: { info: () => undefined, error: () => undefined },
      settings: settingsOf,
      fetch: () => Promise.reject(notInDryRun('send requests')),
      every: () => undefined,
      store: (scope) => moduleStores.store(module.name, scope),
      vectors: (scope) => vectors.vectors(module.name, scope),
      hasCall: async () => false,
    });
    return [module.name, module] as const;
  });
  return new Map(created);
}

/** The same module in lists, which does nothing in calls. */
function passOn(module: Module): Module {
  return Object.create(module, {
    handle: { value: (exchange: never, next: (exchange: never) => unknown) => next(exchange) },
  });
}

/** Says whether a target could be tried, and leaves the one probe of an open breaker to calls. */
function withoutProbes({ health, clock }: CandidateFinderParts): CandidateFinderParts['health'] {
  return {
    of: async (targets) =>
      (await health.of(targets)).map((one) => ({
        ...one,
        mayTry: async () => one.availableAtMs() <= clock.now(),
      })),
  };
}

function notInDryRun(what: string): Error {
  return new Error(`a module can't ${what} in a dry run`);
}
