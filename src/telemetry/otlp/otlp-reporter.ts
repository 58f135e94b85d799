import type { CallReporter } from '../call-reporter.ts';
import { type CallSpansOptions, callSpans } from './call-spans.ts';
import type { EpochClock } from './epoch-clock.ts';
import type { GenAiMetrics } from './gen-ai-metrics.ts';
import { type Sampling, startCallSpan } from './sampler.ts';
import type { SpanExporter } from './span-exporter.ts';

interface OtlpReporterParts extends Pick<CallSpansOptions, 'shortens'> {
  readonly sampling: Sampling;
  readonly clock: EpochClock;
  /** Undefined if traces are not exported. */
  readonly spans: Pick<SpanExporter, 'export'> | undefined;
  /** Undefined if metrics are not exported. */
  readonly metrics: Pick<GenAiMetrics, 'record'> | undefined;
}

/** Turns calls into spans and metrics. */
export function createOtlpReporter({
  sampling,
  clock,
  spans,
  metrics,
  shortens,
}: OtlpReporterParts): CallReporter {
  const options: CallSpansOptions = { toEpochUs: (atMs) => clock.toEpochUs(atMs), shortens };
  return {
    name: 'otlp',
    report(call, { exchange }) {
      const { trace, clientRequest } = exchange;
      const { span, startedAtMs, isAirgapped } = trace;
      if (isAirgapped) return;
      if (metrics !== undefined) for (const attempt of trace.attempts) metrics.record(attempt, clientRequest);
      if (spans === undefined || span === undefined) return;
      clock.adjust();
      spans.export(callSpans({ call, clientRequest, span, trace, startedAtMs }, options));
    },
    reportRejected(call, { clientRequest, isAirgapped }) {
      if (isAirgapped) return;
      const span = spans && startCallSpan(sampling, clientRequest.traceParent);
      if (spans === undefined || span === undefined) return;
      clock.adjust();
      const startedAtMs = performance.now() - call.totalMs;
      spans.export(callSpans({ call, clientRequest, span, trace: undefined, startedAtMs }, options));
    },
  };
}
