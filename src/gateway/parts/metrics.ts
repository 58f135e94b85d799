import { metricsRoutes } from '../../server/own/routes/metrics.ts';
import { type Log, lostLines } from '../../telemetry/log.ts';
import { Metrics } from '../../telemetry/metrics.ts';
import type { Common } from '../common.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';

interface MetricsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly common: Common | undefined;
}

interface Measured extends Part {
  readonly metrics: Metrics;
}

/** Figures for Prometheus. */
export function metricsPart({ settings, log, common }: MetricsParts): Measured {
  const metrics = new Metrics();
  const told = common === undefined ? metrics : { render: () => common.metrics() };
  return {
    metrics,
    routes: metricsRoutes(told, settings.metricsToken),
    gauges: [lostLines(log)],
    features: ['metrics'],
  };
}
