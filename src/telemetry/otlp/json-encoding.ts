import { isJsonObject } from '../../lib/json.ts';
import {
  type Origin,
  type OtlpEncoding,
  type PartialSuccess,
  type SpanBatch,
  scopeName,
} from './encoding.ts';
import { cumulative, type MetricData } from './metric-data.ts';
import { type Attributes, type AttributeValue, cut, type NamedValues, type Span } from './span.ts';

/** JSON as OTLP maps it: ids in hexadecimal digits, 64-bit integers as texts, enumerations as numbers. */
export function createJsonEncoding(origin: Origin): OtlpEncoding {
  return {
    contentType: 'application/json',
    createSpanBatch: () => new JsonSpanBatch(origin),
    encodeMetrics(metrics) {
      const scopeMetrics = [{ scope: scopeOf(origin), metrics: metrics.map(metricToJson) }];
      return Buffer.from(
        JSON.stringify({ resourceMetrics: [{ resource: resourceOf(origin), scopeMetrics }] }),
      );
    },
    readPartialSuccess,
  };
}

class JsonSpanBatch implements SpanBatch {
  readonly #origin: Origin;
  readonly #spans: string[] = [];
  bytes = 0;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get count(): number {
    return this.#spans.length;
  }

  add(span: Span): void {
    const text = JSON.stringify(spanToJson(span));
    this.#spans.push(text);
    this.bytes += text.length;
  }

  encode(): Uint8Array {
    const resource = JSON.stringify(resourceOf(this.#origin));
    const scope = JSON.stringify(scopeOf(this.#origin));
    return Buffer.from(
      `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[${this.#spans.join(',')}]}]}]}`,
    );
  }

  /** Texts are freed by themselves. */
  release(): void {}
}

function resourceOf({ resource }: Origin) {
  return { attributes: attributesToJson(resource) };
}

function scopeOf({ version }: Origin) {
  return { name: scopeName, version };
}

function spanToJson(span: Span) {
  const { traceId, spanId, tracestate: traceState, parentSpanId, flags, kind, error } = span;
  return {
    ...{ traceId, spanId, traceState, parentSpanId, flags, kind },
    name: cut(span.name),
    startTimeUnixNano: nanoseconds(span.startUs),
    endTimeUnixNano: nanoseconds(span.endUs),
    attributes: [
      ...namedToJson(span.attributes, valueToJson),
      ...namedToJson(span.measurements, (doubleValue) => ({ doubleValue })),
      ...(span.content === undefined ? [] : namedToJson(span.content, (stringValue) => ({ stringValue }))),
    ],
    ...(span.links.length > 0 && { links: span.links }),
    ...(error !== undefined && { status: { message: error, code: 2 } }),
  };
}

function metricToJson({ name, unit, startUs, timeUs, counts, histograms }: MetricData) {
  const times = { startTimeUnixNano: nanoseconds(startUs), timeUnixNano: nanoseconds(timeUs) };
  const sums = counts.map(({ attributes, value }) => ({
    ...times,
    attributes: attributesToJson(attributes),
    asInt: String(value),
  }));
  const points = histograms.map(({ attributes, count, sum, bucketCounts, bounds }) => ({
    ...times,
    attributes: attributesToJson(attributes),
    count: String(count),
    bucketCounts: bucketCounts.map(String),
    explicitBounds: bounds,
    sum,
  }));
  return {
    ...{ name, unit },
    ...(sums.length > 0 && {
      sum: { dataPoints: sums, aggregationTemporality: cumulative, isMonotonic: true },
    }),
    ...(points.length > 0 && { histogram: { dataPoints: points, aggregationTemporality: cumulative } }),
  };
}

function attributesToJson(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : { key, value: valueToJson(value) },
  );
}

function namedToJson<Value>({ names, values }: NamedValues<Value>, toJson: (value: Value) => object) {
  return values.map((value, at) => ({ key: names[at], value: toJson(value) }));
}

function valueToJson(value: Exclude<AttributeValue, undefined>) {
  if (typeof value === 'string') return { stringValue: cut(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  return { arrayValue: { values: value.map((each) => ({ stringValue: cut(each) })) } };
}

/** A number is not precise enough. */
function nanoseconds(microseconds: number): string {
  return `${microseconds}000`;
}

function readPartialSuccess(response: Uint8Array): PartialSuccess | undefined {
  const { partialSuccess } = parseObject(response);
  if (!isJsonObject(partialSuccess)) return undefined;
  const { rejectedSpans, rejectedDataPoints = rejectedSpans, errorMessage } = partialSuccess;
  return {
    rejected: Number(rejectedDataPoints ?? 0) || 0,
    message: typeof errorMessage === 'string' ? errorMessage : '',
  };
}

function parseObject(bytes: Uint8Array) {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
