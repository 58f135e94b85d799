import { randomUUID } from 'node:crypto';
import type { Egress } from '../../egress/egress.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import type { Module } from '../../kernel/module.ts';
import type { CallSpan } from '../../kernel/trace.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { ToolCallSpans } from '../../mcp/front/trace-tool-call.ts';
import type { CallReporter } from '../../telemetry/call-reporter.ts';
import { type Check, passed } from '../../telemetry/diagnostics.ts';
import { limits } from '../../telemetry/limits.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Origin } from '../../telemetry/otlp/encoding.ts';
import { EpochClock } from '../../telemetry/otlp/epoch-clock.ts';
import { GenAiMetrics } from '../../telemetry/otlp/gen-ai-metrics.ts';
import { createJsonEncoding } from '../../telemetry/otlp/json-encoding.ts';
import { MetricsExporter } from '../../telemetry/otlp/metrics-exporter.ts';
import { OtlpClient, type PostExport } from '../../telemetry/otlp/otlp-client.ts';
import { createOtlpReporter } from '../../telemetry/otlp/otlp-reporter.ts';
import { createProtobufEncoding } from '../../telemetry/otlp/protobuf-encoding.ts';
import { startCallSpan } from '../../telemetry/otlp/sampler.ts';
import type { ExportSettings } from '../../telemetry/otlp/settings.ts';
import { SpanExporter } from '../../telemetry/otlp/span-exporter.ts';
import { tracedToolCallSpans } from '../../telemetry/otlp/tool-call-spans.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import { version } from '../version.ts';

export interface OtlpPart extends Part {
  /** Undefined if nothing is exported. */
  readonly reporter: CallReporter | undefined;
  /** Undefined if traces are not exported; its result is undefined for a trace that is not sampled. */
  readonly startSpan: ((clientRequest: ClientRequest) => CallSpan | undefined) | undefined;
  /** For clients of MCP; undefined if traces are not exported. */
  readonly toolCallSpans: ToolCallSpans | undefined;
}

interface OtlpParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly egress: Egress;
  readonly modules: ReadonlyMap<string, Module>;
}

/** The export of traces and metrics to a collector of OpenTelemetry. */
export function otlpPart({ settings: { otlp }, log, egress, modules }: OtlpParts): OtlpPart {
  if (otlp.traces === undefined && otlp.metrics === undefined)
    return { reporter: undefined, startSpan: undefined, toolCallSpans: undefined };
  const { sampling, hasContent } = otlp;
  const clock = new EpochClock();
  const nowUs = () => clock.toEpochUs(performance.now());
  const origin: Origin = { version, resource: resourceOf(otlp.resource) };
  const open = (settings: ExportSettings) => {
    const isJson = settings.protocol === 'http/json';
    const encoding = isJson ? createJsonEncoding(origin) : createProtobufEncoding(origin);
    const post = postTo(egress, settings);
    const client = new OtlpClient({ settings, encoding, post, userAgent: `weir-gateway/${version}` });
    return { client, encoding, log };
  };
  const spans =
    otlp.traces === undefined ? undefined : new SpanExporter({ ...open(otlp.traces), queue: otlp.queue });
  const metrics = otlp.metrics && new GenAiMetrics(nowUs(), otlp.hasOlderNames);
  const metricsExporter =
    otlp.metrics === undefined || metrics === undefined
      ? undefined
      : new MetricsExporter({ ...open(otlp.metrics), metrics, intervalMs: otlp.metricIntervalMs, nowUs });
  const shortens = (name: string) => modules.get(name)?.shortens === true;
  return {
    reporter: createOtlpReporter({ sampling, clock, spans, hasContent, metrics, shortens }),
    startSpan: spans === undefined ? undefined : ({ traceParent }) => startCallSpan(sampling, traceParent),
    toolCallSpans: spans && {
      start: (parent) => startCallSpan(sampling, parent),
      export(call) {
        clock.adjust();
        spans.export(tracedToolCallSpans(call, (atMs) => clock.toEpochUs(atMs)));
      },
    },
    gauges: [
      {
        name: 'weir_otlp_spans_waiting',
        help: `Spans waiting for the collector, max ${limits.otlpBytesWaiting} bytes`,
        read: () => spans?.waiting ?? 0,
      },
      {
        name: 'weir_otlp_spans_dropped_total',
        help: 'Spans dropped before they were exported, or rejected by the collector',
        read: () => spans?.dropped ?? 0,
      },
      {
        name: 'weir_otlp_failed_exports_total',
        help: 'Failed exports to the collector; those that may succeed later are repeated',
        read: () => [
          { labels: { signal: 'traces' }, value: spans?.failures ?? 0 },
          { labels: { signal: 'metrics' }, value: metricsExporter?.failures ?? 0 },
        ],
      },
    ],
    checks: [exportCheck(spans, metricsExporter)],
    features: ['otlp'],
    async close(untilMs) {
      const flushed = spans?.flush(untilMs - performance.now());
      const late = () => new Error('the export timed out');
      await withTimeout(metricsExporter?.close() ?? Promise.resolve(), limits.otlpLastMetricsMs, late).catch(
        (err) => log.error({ err }, 'the last metrics could not be exported'),
      );
      if ((await flushed) === false) log.error({ spans: spans?.waiting }, 'some spans could not be exported');
    },
  };
}

/** Attributes of the environment win. Processes of one gateway differ by their instance. */
function resourceOf(configured: Readonly<Record<string, string>>): Origin['resource'] {
  return {
    'telemetry.sdk.name': 'weir-gateway',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
    ...configured,
  };
}

function exportCheck(spans: SpanExporter | undefined, metrics: MetricsExporter | undefined): Check {
  return {
    name: 'telemetry export',
    run() {
      const detail = `${spans?.waiting ?? 0} spans wait, ${spans?.dropped ?? 0} were dropped`;
      if (spans?.isFailing !== true && metrics?.isFailing !== true) return passed(detail);
      return {
        status: 'degraded',
        detail: `${detail}; the collector does not accept exports`,
        hint: 'check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS; the log has the reason',
      };
    },
  };
}

/** Only to the address that the operator set, which may be private. */
function postTo(egress: Egress, { url, timeoutMs }: ExportSettings): PostExport {
  const { pathname, search } = new URL(url);
  const endpoint = egress.openEndpoint({ purpose: 'telemetry', url, reach: 'any', silenceMs: timeoutMs });
  const options = { path: `${pathname}${search}`, timeoutMs, maxBytes: limits.otlpResponseBytesMax };
  return (headers, body) => endpoint.post({ ...options, headers, body });
}
