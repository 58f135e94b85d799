import { CallReports } from '../calls/call-reports.ts';
import type { CallSettlement } from '../calls/call-settlement.ts';
import type { Clock } from '../lib/clock.ts';
import {
  createLogReporter,
  createMetricsReporter,
  createRequestLogReporter,
  createSinkReporter,
} from '../telemetry/call-reporters.ts';
import type { Log } from '../telemetry/log.ts';
import type { LogSink } from '../telemetry/log-sinks/log-sink.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ReporterFaults } from '../telemetry/reporter-faults.ts';
import type { RequestRecorder } from '../telemetry/request-log/request-recorder.ts';
import type { OtlpPart } from './parts/otlp.ts';
import type { Settings } from './settings.ts';

export interface CallReportsParts {
  readonly settings: Pick<Settings, 'requestLog'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly requests: RequestRecorder;
  readonly sinks: readonly LogSink[];
  readonly otlp: Pick<OtlpPart, 'reporter'>;
  readonly clock: Clock;
  readonly settlement: CallSettlement;
}

/** Everything that is informed of ended calls. */
export function createCallReports(parts: CallReportsParts): CallReports {
  const { settings, log, metrics, requests, sinks, otlp, clock, settlement } = parts;
  const reporters = [
    ...(settings.requestLog.isOn ? [createRequestLogReporter(requests)] : []),
    ...(sinks.length > 0 ? [createSinkReporter(sinks)] : []),
    createMetricsReporter(metrics),
    createLogReporter(log),
    ...(otlp.reporter === undefined ? [] : [otlp.reporter]),
  ];
  const faults = new ReporterFaults({ reporters, metrics, log, clock });
  return new CallReports({
    reporters,
    settlement,
    onFault: (reporter, fault) => faults.record(reporter, fault),
  });
}
