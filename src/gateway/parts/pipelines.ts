import { Sealing } from '../../accounts/sealing.ts';
import type { Spending } from '../../billing/spending.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import { Afterwork } from '../../calls/afterwork.ts';
import { SealedArchives } from '../../calls/archives.ts';
import { metered } from '../../calls/attempt.ts';
import { Caches } from '../../calls/caches.ts';
import { Continuing } from '../../calls/continuing.ts';
import { kitMaker } from '../../calls/kit.ts';
import { Ledgers } from '../../calls/ledgers.ts';
import { Meanings } from '../../calls/meaning.ts';
import { Passage } from '../../calls/passage.ts';
import { PipelineChoice } from '../../calls/pipeline-choice.ts';
import { CallReports } from '../../calls/reports.ts';
import { Settling } from '../../calls/settling.ts';
import { systemClock } from '../../kernel/clock.ts';
import { PrefixGuard } from '../../kernel/conversation/prefix-guard.ts';
import { limits } from '../../kernel/limits.ts';
import type { Module } from '../../kernel/module.ts';
import { Pipelines as Compiled } from '../../kernel/pipeline.ts';
import type { PatternBooks } from '../../kernel/ports/patterns.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import { holderOf } from '../../kernel/ports/purse.ts';
import { createRequestIds } from '../../kernel/request-ids.ts';
import { createUpstream } from '../../providers/upstream.ts';
import { archiveRoutes } from '../../server/own/routes/archive.ts';
import { cacheRoutes } from '../../server/own/routes/cache.ts';
import { SealedShelves } from '../../storage/sealed-shelves.ts';
import { ShelvedTurns } from '../../storage/shelved-turns.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestRecorder } from '../../telemetry/request-log/request-recorder.ts';
import { anthropicMessages, providerFormatByName } from '../../wire/index.ts';
import type { Part } from '../part.ts';
import type { Roots } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { EmbeddingsPart } from './embeddings.ts';
import type { Providers } from './providers.ts';
import type { Stores } from './stores.ts';

export interface Pipelines extends Part {
  readonly pipelines: PipelineChoice;
  readonly passage: Passage;
  readonly reports: CallReports;
}

interface PipelinesParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: Roots;
  /** What tells a call that has come through this gateway. */
  readonly via: string;
  readonly modules: ReadonlyMap<string, Module>;
  readonly stores: Stores;
  readonly metrics: Metrics;
  readonly providers: Providers;
  readonly meaning: EmbeddingsPart;
  readonly book: PatternBooks;
  readonly usage: UsageRecorder;
  readonly spending: Spending;
  readonly requests: RequestRecorder;
}

/** What calls pass through on their way to a provider and back, what modules work with there, and what is told of it. */
export function pipelinesPart(parts: PipelinesParts): Pipelines {
  const { settings, log, roots, via, stores, metrics, usage, spending, requests } = parts;
  const { catalog, directory, egress, means } = parts.providers;
  const prices: Prices = {
    priced: ({ provider, model }) => catalog.priced(provider, model),
    bill: ({ provider, model }, used, answered) => catalog.bill({ provider, model, answered }, used),
  };
  const settling = new Settling(log);
  const reports = new CallReports({
    metrics,
    requests: settings.requestLog.isOn ? requests : undefined,
    log,
    settling,
  });
  // Whoever may look into Redis reads no conversations there.
  const turnSealing = settings.stores === undefined ? undefined : new Sealing(roots.derived('turns'));
  const passage = new Passage({
    upstream: metered({
      upstream: createUpstream({
        egress,
        means,
        via,
        outputTokensMax: ({ provider, model }) => catalog.find(provider, model)?.outputTokensMax,
      }),
      prices,
      spent({ target: { provider, model }, usage: used, bill, isAside, askedBy }, caller) {
        const { accountId, keyId } = holderOf(caller);
        const costNanoUsd = bill?.nanoUsd;
        const spent = { accountId, keyId, provider: provider.name, model, usage: used, costNanoUsd };
        usage.spend(spent, systemClock.now());
        if (isAside && askedBy !== undefined && costNanoUsd !== undefined)
          usage.work({ accountId, module: askedBy, spentNanoUsd: costNanoUsd }, systemClock.now());
      },
      settling,
    }),
    continuing: new Continuing(new ShelvedTurns(stores.turnShelves, turnSealing)),
    usage,
    reports,
    clock: systemClock,
    settling,
  });
  const afterwork = new Afterwork({
    onFault: (module, err) => log.error({ module, err }, 'work after a call failed'),
  });
  const [nameKey] = roots.derived('credential names');
  const meanings = new Meanings(nameKey);
  // The same for answers that modules keep.
  const shelves =
    settings.stores === undefined
      ? stores.shelves
      : new SealedShelves(stores.shelves, new Sealing(roots.derived('shelves')));
  const { vectors } = parts.meaning;
  const archives = new SealedArchives({
    table: stores.database.archive,
    clock: systemClock,
    sealing: new Sealing(roots.derived('archive')),
    bytesMax: settings.archiveBytes,
    onTrouble: (err) => log.error({ err }, 'what is over could not be deleted from archives'),
  });
  const kits = kitMaker({
    shelves,
    stores: stores.database.modules,
    embeddings: parts.meaning.embeddings,
    vectors,
    patterns: parts.book,
    archives,
    ledgers: new Ledgers({
      stores: stores.database.modules,
      clock: systemClock,
      sealing: new Sealing(roots.derived('ledger')),
    }),
    clock: systemClock,
    catalog: prices,
    meanings,
    afterwork,
    asking: {
      wire: anthropicMessages,
      newId: createRequestIds(),
      alone: (exchange, aside) => passage.alone(exchange, aside),
    },
    usage,
    purse: (holder, call) => spending.purse(holder, call),
    wireByName: providerFormatByName,
    target: (model) => directory.find(model),
  });
  const compiled = new Compiled(
    parts.modules,
    kits,
    new PrefixGuard({ shelves: stores.shelves, prices, clock: systemClock }),
  );
  return {
    pipelines: new PipelineChoice(compiled, settings.pipeline),
    passage,
    reports,
    routes: [
      ...cacheRoutes(new Caches({ modules: parts.modules, shelves, vectors })),
      ...archiveRoutes(archives),
    ],
    gauges: [
      {
        name: 'weir_pipelines_kept',
        help: `Pipelines that are kept compiled, of ${limits.compiledPipelinesMax}`,
        read: () => compiled.kept,
      },
      {
        name: 'weir_meanings_remembered',
        help: `Requests whose meaning is remembered, of ${limits.meaningsKept}`,
        read: () => meanings.remembered,
      },
      {
        name: 'weir_lingering_calls',
        help: 'Calls that are over for their clients while modules still read something',
        read: () => passage.lingering,
      },
      {
        name: 'weir_settling_faults_total',
        help: 'Parts of settling calls that failed, each a bug; the other parts were done',
        read: () => settling.faults,
      },
      {
        name: 'weir_afterwork_waiting',
        help: `Work of modules for after their calls, of ${limits.afterworkWaiting}`,
        read: () => afterwork.waiting,
      },
      {
        name: 'weir_afterwork_left_undone',
        help: 'Work of modules that there was no room for',
        read: () => afterwork.leftUndone,
      },
    ],
    features: ['pipelines'],
    async close(untilMs) {
      if (!(await afterwork.flush(untilMs - performance.now())))
        log.error({}, 'some work of modules is left undone');
      await passage.close();
      reports.flush();
    },
  };
}
