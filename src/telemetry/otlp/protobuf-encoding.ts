import { limits } from '../limits.ts';
import {
  type Origin,
  type OtlpEncoding,
  type PartialSuccess,
  type SpanBatch,
  scopeName,
} from './encoding.ts';
import { cumulative, type HistogramPoint, type MetricData } from './metric-data.ts';
import { readFields } from './protobuf-reader.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import { type Attributes, type AttributeValue, cut, type Measurements, type Span } from './span.ts';

/** Field numbers are those of https://github.com/open-telemetry/opentelemetry-proto. */
export function createProtobufEncoding(): OtlpEncoding {
  const repeated = new RepeatedAttributes();
  return {
    contentType: 'application/x-protobuf',
    createSpanBatch: () => new ProtobufSpanBatch(repeated),
    encodeMetrics(metrics, origin) {
      const writer = new ProtobufWriter();
      for (const metric of metrics) writeMetric(writer, metric);
      return wrap(writer.bytes, origin);
    },
    readPartialSuccess,
  };
}

class ProtobufSpanBatch implements SpanBatch {
  readonly #writer = new ProtobufWriter();
  readonly #repeated: RepeatedAttributes;
  count = 0;

  constructor(repeated: RepeatedAttributes) {
    this.#repeated = repeated;
  }

  get bytes(): number {
    return this.#writer.length;
  }

  add(span: Span): void {
    writeSpan(this.#writer, span, this.#repeated);
    this.count++;
  }

  encode(origin: Origin): Uint8Array {
    return wrap(this.#writer.bytes, origin);
  }
}

/** An export request of one resource and one scope; spans and metrics have the same field numbers there. */
function wrap(content: Uint8Array, { resource, version }: Origin): Uint8Array {
  const writer = new ProtobufWriter(content.byteLength + 2048);
  const ofResource = writer.begin(1);
  const described = writer.begin(1);
  writeAttributes(writer, 1, resource);
  writer.end(described);
  const ofScope = writer.begin(2);
  const scope = writer.begin(1);
  writer.string(1, scopeName);
  writer.string(2, version);
  writer.end(scope);
  writer.raw(content);
  writer.end(ofScope);
  writer.end(ofResource);
  return writer.bytes;
}

function writeSpan(writer: ProtobufWriter, span: Span, repeated: RepeatedAttributes): void {
  const start = writer.begin(2);
  writer.hex(1, span.traceId);
  writer.hex(2, span.spanId);
  if (span.tracestate !== undefined) writer.string(3, span.tracestate);
  if (span.parentSpanId !== undefined) writer.hex(4, span.parentSpanId);
  writer.string(5, cut(span.name));
  writer.uint(6, span.kind);
  writer.nanoseconds(7, span.startUs);
  writer.nanoseconds(8, span.endUs);
  repeated.writeAll(writer, span.attributes);
  writeMeasurements(writer, spanAttribute, span.measurements);
  for (const { traceId, spanId } of span.links) {
    const link = writer.begin(13);
    writer.hex(1, traceId);
    writer.hex(2, spanId);
    writer.end(link);
  }
  if (span.error !== undefined) {
    const status = writer.begin(15);
    writer.string(2, span.error);
    writer.uint(3, 2);
    writer.end(status);
  }
  writer.fixed32(16, span.flags);
  writer.end(start);
}

const spanAttribute = 9;

/** The last values of attributes of spans, encoded: most are those of the call before, and copying takes a fraction of the time. */
class RepeatedAttributes {
  readonly #last = new Map<string, { value: AttributeValue; bytes: Uint8Array | undefined }>();

  writeAll(writer: ProtobufWriter, attributes: Attributes): void {
    for (const name in attributes) {
      const value = attributes[name];
      if (value !== undefined) this.#write(writer, name, value);
    }
  }

  #write(writer: ProtobufWriter, name: string, value: Exclude<AttributeValue, undefined>): void {
    const last = this.#last.get(name);
    const isSame = last?.value === value;
    if (isSame && last.bytes !== undefined) {
      writer.raw(last.bytes);
      return;
    }
    const start = writer.length;
    writeAttribute(writer, spanAttribute, { name, value });
    if (isSame) last.bytes = Buffer.from(writer.bytes.subarray(start));
    else if (last !== undefined) {
      last.value = value;
      last.bytes = undefined;
    } else if (this.#last.size < limits.otlpRepeatedAttributesMax)
      this.#last.set(name, { value, bytes: undefined });
  }
}

function writeAttributes(writer: ProtobufWriter, field: number, attributes: Attributes): void {
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) writeAttribute(writer, field, { name, value });
  }
}

interface DefinedAttribute {
  readonly name: string;
  readonly value: Exclude<AttributeValue, undefined>;
}

function writeAttribute(writer: ProtobufWriter, field: number, { name, value }: DefinedAttribute): void {
  if (typeof value === 'string' && writer.shortPair(field, name, value)) return;
  const start = writer.begin(field);
  writer.string(1, name);
  const of = writer.begin(2);
  writeValue(writer, value);
  writer.end(of);
  writer.end(start);
}

function writeValue(writer: ProtobufWriter, value: Exclude<AttributeValue, undefined>): void {
  if (typeof value === 'string') writer.string(1, cut(value));
  else if (typeof value === 'boolean') writer.uint(2, Number(value));
  else if (typeof value === 'number') writer.uint(3, value);
  else {
    const list = writer.begin(5);
    for (const each of value) {
      const of = writer.begin(1);
      writer.string(1, cut(each));
      writer.end(of);
    }
    writer.end(list);
  }
}

function writeMeasurements(writer: ProtobufWriter, field: number, measurements: Measurements): void {
  for (const name in measurements) {
    const value = measurements[name];
    if (value === undefined) continue;
    const start = writer.begin(field);
    writer.string(1, name);
    const of = writer.begin(2);
    writer.double(4, value);
    writer.end(of);
    writer.end(start);
  }
}

function writeMetric(writer: ProtobufWriter, metric: MetricData): void {
  const start = writer.begin(2);
  writer.string(1, metric.name);
  writer.string(3, metric.unit);
  if (metric.counts.length > 0) {
    const sum = writer.begin(7);
    for (const { attributes, value } of metric.counts) {
      const point = writer.begin(1);
      writer.nanoseconds(2, metric.startUs);
      writer.nanoseconds(3, metric.timeUs);
      writer.fixed64(6, value);
      writeAttributes(writer, 7, attributes);
      writer.end(point);
    }
    writer.uint(2, cumulative);
    writer.uint(3, 1);
    writer.end(sum);
  }
  if (metric.histograms.length > 0) {
    const histogram = writer.begin(9);
    for (const point of metric.histograms) writeHistogramPoint(writer, metric, point);
    writer.uint(2, cumulative);
    writer.end(histogram);
  }
  writer.end(start);
}

function writeHistogramPoint(
  writer: ProtobufWriter,
  { startUs, timeUs }: MetricData,
  point: HistogramPoint,
): void {
  const start = writer.begin(1);
  writer.nanoseconds(2, startUs);
  writer.nanoseconds(3, timeUs);
  writer.fixed64(4, point.count);
  writer.double(5, point.sum);
  const counts = writer.begin(6);
  for (const count of point.bucketCounts) writer.rawFixed64(count);
  writer.end(counts);
  const bounds = writer.begin(7);
  for (const bound of point.bounds) writer.rawDouble(bound);
  writer.end(bounds);
  writeAttributes(writer, 9, point.attributes);
  writer.end(start);
}

function readPartialSuccess(response: Uint8Array): PartialSuccess | undefined {
  const partial = readFields(response).get(1);
  if (!(partial instanceof Uint8Array)) return undefined;
  const fields = readFields(partial);
  const [rejected, message] = [fields.get(1), fields.get(2)];
  return {
    rejected: typeof rejected === 'number' ? rejected : 0,
    message: message instanceof Uint8Array ? Buffer.from(message).toString() : '',
  };
}
