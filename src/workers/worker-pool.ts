import type { Worker } from 'node:cluster';
import type { InferenceClient } from '../embeddings/inference.ts';
import type { InProcessStores } from '../gateway/ephemeral-stores.ts';
import { Metrics } from '../telemetry/metrics.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';
import { CounterFamily } from '../telemetry/series.ts';
import { limits } from './limits.ts';
import { MetricsAggregator, type ProcessMetrics } from './metrics-aggregator.ts';
import type { PrimaryMethods } from './rpc-methods.ts';
import { SlotLeases } from './slot-leases.ts';
import { createStoreHandlers } from './store-methods.ts';
import { WorkerProcess } from './worker-process.ts';

interface WorkerPoolParts {
  readonly memory: InProcessStores;
  readonly models: InferenceClient;
  readonly gauges: readonly Gauge[];
  readonly reload: PrimaryMethods['reload'];
}

/** All workers, with their shared stores and metrics. */
export class WorkerPool {
  readonly #workers = new Set<WorkerProcess>();
  readonly #stores: InProcessStores;
  readonly #leases: SlotLeases;
  readonly #models: InferenceClient;
  readonly #reload: PrimaryMethods['reload'];
  /** Counters of ended workers: falling sums would look like a restart. */
  readonly #endedMetrics = new MetricsAggregator(limits.retainedSeriesMax);
  readonly #metrics = new Metrics();
  readonly #replacedCounter = new CounterFamily(
    'weir_workers_replaced_total',
    'Workers that ended unexpectedly',
    [],
  );
  #silentCount = 0;
  /** Called with each new process. */
  onForked: ((worker: Worker) => void) | undefined;

  constructor({ memory, models, gauges, reload }: WorkerPoolParts) {
    this.#reload = reload;
    this.#stores = memory;
    this.#leases = new SlotLeases({ slots: memory.shared.slots, holders: this.#workers });
    this.#models = models;
    this.#replacedCounter.with().value = 0;
    this.#metrics.addGauges([
      { name: 'weir_workers', help: 'Workers that serve calls', read: () => this.#readyWorkers().length },
      {
        name: 'weir_workers_silent',
        help: 'Workers that were too busy to report metrics, so that older ones are shown',
        read: () => this.#silentCount,
      },
      ...memory.gauges,
      ...gauges,
    ]);
  }

  fork(): WorkerProcess {
    const worker = new WorkerProcess({
      handlersFor: (asking) => ({
        ...createStoreHandlers(this.#stores, this.#leases, asking),
        askModel: (question, deadlineMs) => this.#models.infer(question, deadlineMs),
        allMetrics: () => this.#allMetrics(),
        reload: this.#reload,
      }),
      onForked: (forked) => this.onForked?.(forked),
      onStopping: (leaving) => this.#leases.reclaimFrom(leaving),
    });
    this.#workers.add(worker);
    void worker.exited.then(() => {
      this.#workers.delete(worker);
      this.#leases.onHolderExit(worker);
      this.#endedMetrics.addCounters(worker.lastMetrics);
    });
    return worker;
  }

  countReplacement(): void {
    this.#replacedCounter.with().value++;
  }

  #readyWorkers(): readonly WorkerProcess[] {
    return [...this.#workers].filter((worker) => worker.isReady);
  }

  async #allMetrics(): Promise<readonly ProcessMetrics[]> {
    // Before workers are queried: one that ends meanwhile must not be counted twice.
    const ended = { worker: 'ended', text: this.#endedMetrics.render() };
    let silent = 0;
    const living = await Promise.all(
      this.#readyWorkers().map(async (worker) => {
        const text = await worker.metrics().catch(() => {
          silent++;
          return worker.lastMetrics;
        });
        return { worker: worker.name, text };
      }),
    );
    this.#silentCount = silent;
    return [
      { worker: 'primary', text: this.#metrics.render() + this.#replacedCounter.render() },
      ended,
      ...living,
    ];
  }
}
