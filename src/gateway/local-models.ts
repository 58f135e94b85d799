import { LocalModels } from '../embeddings/local-models.ts';
import { findModelFiles } from '../embeddings/model-files.ts';
import { limits } from '../kernel/limits.ts';
import type { Log } from '../telemetry/log.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';

/** The models of this machine, in a process of their own. */
export function createLocalModels(log: Log): LocalModels {
  return new LocalModels({
    findFiles: findModelFiles,
    onFailure: (how) => log.error({ how }, 'the process that makes vectors failed'),
  });
}

/** Of the process with the models, where this is the process that has it. */
export function modelGauges(models: LocalModels): readonly Gauge[] {
  return [
    {
      name: 'weir_embedder_up',
      help: 'Whether the process that makes vectors is ready; it starts with its first use',
      read: () => Number(models.figures.isReady),
    },
    {
      name: 'weir_embedder_waiting',
      help: `Texts and pairs that wait for their vectors, of ${limits.embedderWaitingMax}`,
      read: () => models.figures.waiting,
    },
    {
      name: 'weir_embedder_answers_total',
      help: 'Texts and pairs that were read',
      read: () => models.figures.answered,
    },
    {
      name: 'weir_embedder_seconds_total',
      help: 'How long that took',
      read: () => models.figures.busyMs / 1000,
    },
  ];
}
