import { z } from 'zod';
import { Secret } from '../../lib/secret.ts';
import { httpUrl, keyValueList } from '../../lib/setting-schemas.ts';
import { combineSettings, envVariable } from '../../lib/settings.ts';
import { samplerNames } from './sampler.ts';

const protocol = z
  .enum(['http/protobuf', 'http/json'], 'must be http/protobuf or http/json: there is no export over gRPC')
  .optional();
const compression = z.enum(['gzip', 'none'], 'must be gzip or none').optional();
const milliseconds = z.coerce.number('must be a number of milliseconds').int().min(1).max(3_600_000);
const spans = z.coerce.number('must be a number of spans').int().min(1).max(10_000_000);
const exporter = z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp');

/** `true` is the value of before 2026. What would be in events goes out in spans only where these are asked for, too. */
const contentCapture = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(
    z.enum(
      ['true', 'false', 'span_only', 'span_and_event', 'no_content'],
      'must be true, false, SPAN_ONLY, SPAN_AND_EVENT or NO_CONTENT: content is in spans, and there is no export of events',
    ),
  )
  .transform((value) => value === 'true' || value.startsWith('span_'))
  .default(false);

/** Values are often credentials. */
const headerList = keyValueList
  .refine(
    (pairs) => pairs.every(([name, value]) => headerName.test(name) && headerValue.test(value)),
    "has a name or value that a header can't have",
  )
  .transform((pairs): readonly (readonly [string, Secret])[] =>
    pairs.map(([name, value]) => [name.toLowerCase(), new Secret(value)]),
  )
  .optional();

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\x20-\x7e]+$/;

/** The variables of one signal, or of both if it has no name. */
function exportVariables(signal: '' | 'TRACES_' | 'METRICS_') {
  const prefix = `OTEL_EXPORTER_OTLP_${signal}`;
  const at = signal === '' ? 'opentelemetry' : `opentelemetry.${signal.slice(0, -1).toLowerCase()}`;
  return {
    endpoint: envVariable(`${prefix}ENDPOINT`, httpUrl.optional(), `${at}.endpoint`),
    headers: envVariable(`${prefix}HEADERS`, headerList, {
      at: `${at}.headers`,
      form: 'headers',
      isSecret: true,
    }),
    timeoutMs: envVariable(`${prefix}TIMEOUT`, milliseconds.optional(), `${at}.timeout_ms`),
    protocol: envVariable(`${prefix}PROTOCOL`, protocol, `${at}.protocol`),
    compression: envVariable(`${prefix}COMPRESSION`, compression, `${at}.compression`),
  };
}

const shared = combineSettings(exportVariables(''), (values) => values);
const ofTraces = combineSettings(exportVariables('TRACES_'), (values) => values);
const ofMetrics = combineSettings(exportVariables('METRICS_'), (values) => values);

type ExportValues = NonNullable<ReturnType<typeof shared.read>['value']>;

/** Where one signal is exported to, and how. */
export interface ExportSettings {
  readonly url: string;
  readonly headers: readonly (readonly [string, Secret])[];
  readonly timeoutMs: number;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly isCompressed: boolean;
}

/** Undefined without an address: nothing is exported by default. The variables of the signal win. */
function exportSettings(path: string, own: ExportValues, common: ExportValues): ExportSettings | undefined {
  const url = own.endpoint ?? (common.endpoint === undefined ? undefined : `${common.endpoint}${path}`);
  if (url === undefined) return undefined;
  return {
    url,
    headers: own.headers ?? common.headers ?? [],
    timeoutMs: own.timeoutMs ?? common.timeoutMs ?? 10_000,
    protocol: own.protocol ?? common.protocol ?? 'http/protobuf',
    isCompressed: (own.compression ?? common.compression) === 'gzip',
  };
}

/** The export of traces and metrics, by the variables of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/. */
export const otlpSettings = combineSettings(
  {
    isDisabled: envVariable(
      'OTEL_SDK_DISABLED',
      z
        .string()
        .transform((text) => text.toLowerCase() === 'true')
        .default(false),
      'opentelemetry.disabled',
    ),
    common: shared,
    ofTraces,
    ofMetrics,
    tracesExporter: envVariable('OTEL_TRACES_EXPORTER', exporter, 'opentelemetry.traces.exporter'),
    metricsExporter: envVariable('OTEL_METRICS_EXPORTER', exporter, 'opentelemetry.metrics.exporter'),
    serviceName: envVariable('OTEL_SERVICE_NAME', z.string().min(1).optional(), 'opentelemetry.service_name'),
    resource: envVariable('OTEL_RESOURCE_ATTRIBUTES', keyValueList.optional(), {
      at: 'opentelemetry.resource',
      form: 'headers',
    }),
    sampler: envVariable(
      'OTEL_TRACES_SAMPLER',
      z.enum(samplerNames, `must be one of ${samplerNames.join(', ')}`).default('parentbased_always_on'),
      'opentelemetry.traces.sampler',
    ),
    ratio: envVariable(
      'OTEL_TRACES_SAMPLER_ARG',
      z.coerce.number('must be a number from 0 to 1').min(0).max(1).default(1),
      'opentelemetry.traces.share',
    ),
    scheduleMs: envVariable(
      'OTEL_BSP_SCHEDULE_DELAY',
      milliseconds.default(5000),
      'opentelemetry.traces.delay_ms',
    ),
    queueMax: envVariable('OTEL_BSP_MAX_QUEUE_SIZE', spans.optional(), 'opentelemetry.traces.queue_spans'),
    batchMax: envVariable(
      'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
      spans.default(2048),
      'opentelemetry.traces.batch_spans',
    ),
    hasContent: envVariable(
      'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT',
      contentCapture,
      'opentelemetry.traces.content',
    ),
    intervalMs: envVariable(
      'OTEL_METRIC_EXPORT_INTERVAL',
      milliseconds.default(60_000),
      'opentelemetry.metrics.interval_ms',
    ),
    /** `gen_ai/dup` adds metrics under older names; other instrumentations have entries of their own. */
    optIns: envVariable('OTEL_SEMCONV_STABILITY_OPT_IN', z.string().default(''), {
      at: 'opentelemetry.opt_ins',
      form: 'list',
    }),
  },
  (values) => {
    const { isDisabled, common, serviceName, resource = [], sampler, ratio } = values;
    const traces = exportSettings('/v1/traces', values.ofTraces, common);
    const metrics = exportSettings('/v1/metrics', values.ofMetrics, common);
    return {
      traces: isDisabled || values.tracesExporter === 'none' ? undefined : traces,
      metrics: isDisabled || values.metricsExporter === 'none' ? undefined : metrics,
      resource: {
        'service.name': 'weir',
        ...Object.fromEntries(resource),
        ...(serviceName !== undefined && { 'service.name': serviceName }),
      },
      sampling: { sampler, ratio },
      hasContent: values.hasContent,
      queue: { scheduleMs: values.scheduleMs, spansMax: values.queueMax, batchMax: values.batchMax },
      metricIntervalMs: values.intervalMs,
      hasOlderNames: values.optIns.split(',').some((entry) => entry.trim() === 'gen_ai/dup'),
    };
  },
);

export type OtlpSettings = NonNullable<ReturnType<typeof otlpSettings.read>['value']>;
