import { metricsRoutes } from '../../server/api/routes/metrics.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { Refusals } from '../../telemetry/refusals.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { SharedResources } from '../shared-resources.ts';
import { version } from '../version.ts';

interface MetricsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly sharedResources: SharedResources | undefined;
}

interface MetricsPart extends Part {
  readonly refusals: Refusals;
}

/** Metrics for Prometheus, and refused requests. */
export function metricsPart({ settings, log, metrics, sharedResources }: MetricsParts): MetricsPart {
  const refusals = new Refusals({ metrics, log });
  const source = sharedResources === undefined ? metrics : { render: () => sharedResources.metrics() };
  return {
    refusals,
    routes: metricsRoutes(source, settings.metricsToken),
    gauges: [
      {
        name: 'weir_build_info',
        help: 'The running version',
        read: () => [{ labels: { version, revision: settings.revision, node: process.version }, value: 1 }],
      },
    ],
    features: ['metrics'],
    async close() {
      refusals.flush();
    },
  };
}
