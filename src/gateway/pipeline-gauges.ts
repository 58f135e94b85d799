import type { BackgroundTasks } from '../calls/background-tasks.ts';
import type { CallRunner } from '../calls/call-runner.ts';
import type { CallSettlement } from '../calls/call-settlement.ts';
import type { HealthMonitor } from '../calls/health/health-monitor.ts';
import { limits as callsLimits } from '../calls/limits.ts';
import type { RequestKeys } from '../calls/request-keys.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { Pipelines } from '../kernel/pipeline.ts';
import { metricModelOf, metricNameOf } from '../kernel/provider.ts';
import type { Gauge, GaugeSample } from '../telemetry/process-gauges.ts';

interface PipelineGaugesParts {
  readonly compiled: Pick<Pipelines, 'compiledCount'>;
  readonly requestKeys: Pick<RequestKeys, 'size'>;
  readonly health: Pick<HealthMonitor, 'unclosedBreakers' | 'rejectedCredentials' | 'size'>;
  readonly callRunner: Pick<CallRunner, 'lingering'>;
  readonly settlement: Pick<CallSettlement, 'faults'>;
  readonly backgroundTasks: Pick<BackgroundTasks, 'waiting' | 'dropped'>;
}

/** The gauges of pipelines, the health of targets, and the ends of calls. */
export function pipelineGauges({
  compiled,
  requestKeys,
  health,
  callRunner,
  settlement,
  backgroundTasks,
}: PipelineGaugesParts): readonly Gauge[] {
  return [
    {
      name: 'weir_pipelines_kept',
      help: `Cached compiled pipelines, max ${kernelLimits.compiledPipelinesMax}`,
      read: () => compiled.compiledCount,
    },
    {
      name: 'weir_meanings_remembered',
      help: `Cached request keys, max ${callsLimits.cachedRequestKeysMax}`,
      read: () => requestKeys.size,
    },
    {
      name: 'weir_breakers',
      help: 'Breakers that are not closed, one for each target and credential',
      read: () => countBreakers(health),
    },
    {
      name: 'weir_credentials_rejected',
      help: 'Credentials that their provider rejects, for all models or some; of several keys they are set aside',
      read: () => health.rejectedCredentials,
    },
    {
      name: 'weir_health_records',
      help: `Credentials with recorded results, with those of their models max ${callsLimits.healthRecordsMax}`,
      read: () => health.size,
    },
    {
      name: 'weir_lingering_calls',
      help: 'Calls that have ended for their clients while modules still read the answer',
      read: () => callRunner.lingering,
    },
    {
      name: 'weir_settling_faults_total',
      help: 'Failed steps of settling calls, each a bug; the other steps were done',
      read: () => settlement.faults,
    },
    {
      name: 'weir_afterwork_waiting',
      help: `Background tasks of modules, max ${callsLimits.backgroundTasksWaiting}`,
      read: () => backgroundTasks.waiting,
    },
    {
      name: 'weir_afterwork_dropped_total',
      help: 'Background tasks of modules dropped because the queue was full',
      read: () => backgroundTasks.dropped,
    },
  ];
}

/** By target and state. */
function countBreakers(health: PipelineGaugesParts['health']): readonly GaugeSample[] {
  const samples = new Map<string, { labels: GaugeSample['labels']; value: number }>();
  for (const { target, state } of health.unclosedBreakers()) {
    const labels = { provider: metricNameOf(target.provider), model: metricModelOf(target), state };
    const key = JSON.stringify(labels);
    const sample = samples.get(key) ?? { labels, value: 0 };
    sample.value++;
    if (samples.size < callsLimits.breakerSeriesMax) samples.set(key, sample);
  }
  return [...samples.values()];
}
