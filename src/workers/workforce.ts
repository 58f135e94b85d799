import type { ModelsHere } from '../embeddings/model-questions.ts';
import type { OwnMemory } from '../gateway/memory.ts';
import { limits } from '../kernel/limits.ts';
import { Metrics } from '../telemetry/metrics.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';
import { Family } from '../telemetry/series.ts';
import { Figures, type ProcessFigures } from './figures.ts';
import { memoryAnswers } from './memory-questions.ts';
import { SlotsAhead } from './slots-ahead.ts';
import { WorkerProcess } from './worker-process.ts';

/** All processes that serve, and what they have in common: their memory and their figures. */
export class Workforce {
  readonly #workers = new Set<WorkerProcess>();
  readonly #memory: OwnMemory;
  readonly #ahead: SlotsAhead;
  readonly #models: ModelsHere;
  /** What processes that have ended had counted: sums that fall would look like a new start. */
  readonly #ended = new Figures(limits.keptSeriesMax);
  readonly #metrics = new Metrics();
  readonly #replaced = new Family('weir_workers_replaced_total', 'Processes that ended by themselves', []);
  #silent = 0;

  /** With what is told of the primary process besides. */
  constructor(memory: OwnMemory, models: ModelsHere, gauges: readonly Gauge[]) {
    this.#memory = memory;
    this.#ahead = new SlotsAhead({ slots: memory.shared.slots, holders: this.#workers });
    this.#models = models;
    this.#replaced.with().value = 0;
    this.#metrics.gauge('weir_workers', 'Processes that serve', () => this.#serving().length);
    this.#metrics.gauge(
      'weir_workers_silent',
      'Processes that were too busy to tell their figures, so that these are of an earlier time',
      () => this.#silent,
    );
    for (const { name, help, read } of [...memory.gauges, ...gauges]) this.#metrics.gauge(name, help, read);
  }

  fork(): WorkerProcess {
    const worker = new WorkerProcess({
      answersTo: (asking) => ({
        ...memoryAnswers(this.#memory, this.#ahead, asking),
        askModel: (question, deadlineMs) => this.#models.ask(question, deadlineMs),
        figuresOfAll: () => this.#figuresOfAll(),
      }),
      onLast: (leaving) => this.#ahead.leaving(leaving),
    });
    this.#workers.add(worker);
    void worker.exited.then(() => {
      this.#workers.delete(worker);
      this.#ahead.ended(worker);
      this.#ended.addCounters(worker.lastFigures);
    });
    return worker;
  }

  noteReplaced(): void {
    this.#replaced.with().value++;
  }

  #serving(): readonly WorkerProcess[] {
    return [...this.#workers].filter((worker) => worker.isReady);
  }

  async #figuresOfAll(): Promise<readonly ProcessFigures[]> {
    // Before anybody is asked: one that ends meanwhile must not be counted twice.
    const ended = { worker: 'ended', text: this.#ended.render() };
    let silent = 0;
    const living = await Promise.all(
      this.#serving().map(async (worker) => {
        const text = await worker.figures().catch(() => {
          silent++;
          return worker.lastFigures;
        });
        return { worker: worker.name, text };
      }),
    );
    this.#silent = silent;
    return [{ worker: 'primary', text: this.#metrics.render() + this.#replaced.render() }, ended, ...living];
  }
}
