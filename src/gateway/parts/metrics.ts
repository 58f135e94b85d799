import { metricsRoutes } from '../../server/api/routes/metrics.ts';
import { type Log, lostLinesGauge } from '../../telemetry/log.ts';
import { Metrics } from '../../telemetry/metrics.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { SharedResources } from '../shared-resources.ts';

interface MetricsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly sharedResources: SharedResources | undefined;
}

interface MetricsPart extends Part {
  readonly metrics: Metrics;
}

/** Metrics for Prometheus. */
export function metricsPart({ settings, log, sharedResources }: MetricsParts): MetricsPart {
  const metrics = new Metrics();
  const source = sharedResources === undefined ? metrics : { render: () => sharedResources.metrics() };
  return {
    metrics,
    routes: metricsRoutes(source, settings.metricsToken),
    gauges: [lostLinesGauge(log)],
    features: ['metrics'],
  };
}
