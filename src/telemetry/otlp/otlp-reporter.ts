import type { RecordedContent } from '../../kernel/call-recorder.ts';
import type { CallReporter } from '../call-reporter.ts';
import { limits } from '../limits.ts';
import { type CallSpansOptions, callSpans } from './call-spans.ts';
import { contentAttributes } from './content-attributes.ts';
import type { EpochClock } from './epoch-clock.ts';
import type { GenAiMetrics } from './gen-ai-metrics.ts';
import { type Sampling, startCallSpan } from './sampler.ts';
import type { Span } from './span.ts';
import type { SpanExporter } from './span-exporter.ts';

interface OtlpReporterParts extends Pick<CallSpansOptions, 'shortens'> {
  readonly sampling: Sampling;
  readonly clock: EpochClock;
  /** Undefined if traces are not exported. */
  readonly spans: Pick<SpanExporter, 'export'> | undefined;
  /** Whether spans have the content of recorded calls. */
  readonly hasContent: boolean;
  /** Undefined if metrics are not exported. */
  readonly metrics: Pick<GenAiMetrics, 'record'> | undefined;
}

/** Turns calls into spans and metrics. */
export function createOtlpReporter({
  sampling,
  clock,
  spans,
  hasContent,
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
      const all = callSpans({ call, clientRequest, span, trace, startedAtMs }, options);
      if (!hasContent || trace.recorder === undefined) return spans.export(all);
      // The answering attempt is the operation that the conventions describe; a cache hit has none.
      const holderId = trace.answeringAttempt?.spanId ?? span.spanId;
      trace.recorder.onClosed((read) => {
        let complete = all;
        try {
          complete = withContent(all, holderId, read(limits.otlpContentBytesRead));
        } finally {
          spans.export(complete);
        }
      });
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

function withContent(spans: readonly Span[], holderId: string, recorded: RecordedContent): readonly Span[] {
  const { texts: content, leftOut } = contentAttributes(recorded);
  return spans.map((span) => {
    if (span.spanId !== holderId) return span;
    if (leftOut > 0) span.attributes.add('weir.content.left_out', leftOut);
    return { ...span, content };
  });
}
