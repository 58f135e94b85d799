import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { SeenRequest } from '../../src/testing/fake-upstream.ts';

const traceId = z.string().regex(/^[0-9a-f]{32}$/);
const spanId = z.string().regex(/^[0-9a-f]{16}$/);
const uint64 = z.string().regex(/^\d+$/);

const value = z.union([
  z.strictObject({ stringValue: z.string() }).transform((one) => one.stringValue),
  z.strictObject({ boolValue: z.boolean() }).transform((one) => one.boolValue),
  z.strictObject({ intValue: uint64 }).transform((one) => Number(one.intValue)),
  // Told apart from whole numbers.
  z.strictObject({ doubleValue: z.number() }).transform((one) => ({ double: one.doubleValue })),
  z
    .strictObject({
      arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })).default([]) }),
    })
    .transform(({ arrayValue }) => arrayValue.values.map((one) => one.stringValue)),
]);
const attributes = z
  .array(z.strictObject({ key: z.string(), value }))
  .default([])
  .transform((all): Record<string, unknown> => {
    assert.equal(new Set(all.map(({ key }) => key)).size, all.length, 'each attribute once');
    return Object.fromEntries(all.map((one) => [one.key, one.value]));
  });

/** As OTLP writes it in JSON, with no other fields. */
const span = z.strictObject({
  traceId,
  spanId,
  parentSpanId: spanId.optional(),
  traceState: z.string().optional(),
  flags: z.number(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: uint64,
  endTimeUnixNano: uint64,
  attributes,
  links: z.array(z.strictObject({ traceId, spanId })).default([]),
  // A collector sends an empty one for none.
  status: z
    .union([z.strictObject({ message: z.string(), code: z.number() }), z.strictObject({})])
    .transform((one) => ('code' in one ? one : undefined))
    .optional(),
});
export type ExportedSpan = z.infer<typeof span>;

const scope = z.strictObject({ name: z.string(), version: z.string() });
const resource = z.strictObject({ attributes });
const traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span) })) }),
  ),
});

const times = { startTimeUnixNano: uint64, timeUnixNano: uint64 };
const metric = z.strictObject({
  name: z.string(),
  unit: z.string(),
  sum: z
    .strictObject({
      dataPoints: z.array(z.strictObject({ ...times, attributes, asInt: uint64 })),
      aggregationTemporality: z.number(),
      isMonotonic: z.boolean(),
    })
    .optional(),
  histogram: z
    .strictObject({
      dataPoints: z.array(
        z.strictObject({
          ...times,
          attributes,
          count: uint64,
          sum: z.number(),
          bucketCounts: z.array(uint64),
          explicitBounds: z.array(z.number()),
        }),
      ),
      aggregationTemporality: z.number(),
    })
    .optional(),
});
const metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({ resource, scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metric) })) }),
  ),
});

interface MessageType {
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): unknown;
}

/** The official definitions, generated from https://github.com/open-telemetry/opentelemetry-proto. */
const root = createRequire(import.meta.url)('@opentelemetry/otlp-transformer/build/src/generated/root');

type ExportRequest = Pick<SeenRequest, 'url' | 'headers' | 'bytes'>;

function decode(signal: 'trace' | 'metrics', { headers, bytes }: ExportRequest): unknown {
  const body = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  if (headers['content-type'] === 'application/json') return JSON.parse(body.toString());
  assert.equal(headers['content-type'], 'application/x-protobuf');
  const { v1 } = root.opentelemetry.proto.collector[signal];
  const type: MessageType =
    signal === 'trace' ? v1.ExportTraceServiceRequest : v1.ExportMetricsServiceRequest;
  const message = type.decode(body);
  return JSON.parse(
    JSON.stringify(type.toObject(message, { longs: String }), (name, one: unknown) =>
      /Id$/.test(name) && isBuffer(one) ? Buffer.from(one.data).toString('hex') : one,
    ),
  );
}

/** As `JSON.stringify` shows it. */
function isBuffer(one: unknown): one is { readonly data: readonly number[] } {
  return typeof one === 'object' && one !== null && 'data' in one && Array.isArray(one.data);
}

export function spansIn(requests: readonly ExportRequest[]): readonly ExportedSpan[] {
  return requests
    .filter(({ url }) => url.endsWith('/v1/traces'))
    .flatMap((request) => traces.parse(decode('trace', request)).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

export function resourceIn(request: SeenRequest): Record<string, unknown> {
  return traces.parse(decode('trace', request)).resourceSpans[0]?.resource.attributes ?? {};
}

/** The metrics of the latest export, by name. */
export function metricsIn(requests: readonly SeenRequest[]): ReadonlyMap<string, z.infer<typeof metric>> {
  const last = requests.findLast(({ url }) => url.endsWith('/v1/metrics'));
  if (last === undefined) return new Map();
  const { resourceMetrics } = metrics.parse(decode('metrics', last));
  const all = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
  return new Map(all.map((one) => [one.name, one]));
}

/** A response of a collector that took all but some of the spans, in protocol buffers. */
export function partialSuccess(rejectedSpans: number, errorMessage: string): Uint8Array {
  const { ExportTraceServiceResponse } = root.opentelemetry.proto.collector.trace.v1;
  return ExportTraceServiceResponse.encode({ partialSuccess: { rejectedSpans, errorMessage } }).finish();
}
