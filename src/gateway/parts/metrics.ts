import { metricsRoutes } from '../../server/api/routes/metrics.ts';
import { Audit } from '../../telemetry/audit.ts';
import { type Log, lostLinesGauge } from '../../telemetry/log.ts';
import { Metrics } from '../../telemetry/metrics.ts';
import { Refusals } from '../../telemetry/refusals.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { SharedResources } from '../shared-resources.ts';
import { version } from '../version.ts';

interface MetricsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly sharedResources: SharedResources | undefined;
}

interface MetricsPart extends Part {
  readonly metrics: Metrics;
  readonly refusals: Refusals;
  readonly audit: Audit;
}

/** Metrics for Prometheus, refused requests and the audit log. */
export function metricsPart({ settings, log, sharedResources }: MetricsParts): MetricsPart {
  const metrics = new Metrics(settings.metricTags);
  const refusals = new Refusals({ metrics, log });
  const audit = new Audit(log);
  const source = sharedResources === undefined ? metrics : { render: () => sharedResources.metrics() };
  return {
    metrics,
    refusals,
    audit,
    routes: metricsRoutes(source, settings.metricsToken),
    gauges: [
      lostLinesGauge(log),
      {
        name: 'weir_build_info',
        help: 'The running version',
        read: () => [{ labels: { version, revision: settings.revision, node: process.version }, value: 1 }],
      },
    ],
    features: ['metrics'],
    async close() {
      refusals.flush();
      audit.flush();
    },
  };
}
