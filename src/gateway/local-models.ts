import { limits } from '../embeddings/limits.ts';
import { LocalModels } from '../embeddings/local-models.ts';
import { findModelFiles } from '../embeddings/model-files.ts';
import type { Log } from '../telemetry/log.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';

/** Local embedding models, in a separate process. */
export function createLocalModels(log: Log): LocalModels {
  return new LocalModels({
    findFiles: findModelFiles,
    onFailure: (how) => log.error({ how }, 'the embeddings process failed'),
    onRecovered: () => log.info({}, 'the embeddings process is back'),
  });
}

/** Metrics of the embeddings process. */
export function modelGauges(models: LocalModels): readonly Gauge[] {
  return [
    {
      name: 'weir_embedder_up',
      help: 'Whether the embeddings process is ready; it starts on first use',
      read: () => Number(models.figures.isReady),
    },
    {
      name: 'weir_embedder_waiting',
      help: `Texts and pairs waiting for the embeddings process, max ${limits.embedderWaitingMax}`,
      read: () => models.figures.waiting,
    },
    {
      name: 'weir_embedder_answers_total',
      help: 'Texts and pairs processed by the embeddings process',
      read: () => models.figures.answered,
    },
    {
      name: 'weir_embedder_seconds_total',
      help: 'Time spent on processing them',
      read: () => models.figures.busyMs / 1000,
    },
  ];
}
