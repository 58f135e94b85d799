import { limits } from '../limits.ts';
import type { Origin, OtlpEncoding, PartialSuccess } from './encoding.ts';
import { cumulative, type HistogramPoint, type MetricData } from './metric-data.ts';
import { writeAttributes } from './protobuf-attributes.ts';
import { beginExport, endExport } from './protobuf-export.ts';
import { readFields } from './protobuf-reader.ts';
import { ProtobufSpanBatch } from './protobuf-span-batch.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

/** Field numbers are those of https://github.com/open-telemetry/opentelemetry-proto. */
export function createProtobufEncoding(origin: Origin): OtlpEncoding {
  const spare: ProtobufWriter[] = [];
  return {
    contentType: 'application/x-protobuf',
    createSpanBatch() {
      const writer = spare.pop() ?? new ProtobufWriter();
      const release = () => {
        writer.clear();
        if (spare.length < limits.otlpSpareBuffers && writer.capacity <= limits.otlpSpareBufferBytes)
          spare.push(writer);
      };
      return new ProtobufSpanBatch({ writer, origin, release });
    },
    encodeMetrics(metrics) {
      const writer = new ProtobufWriter();
      const open = beginExport(writer, origin);
      for (const metric of metrics) writeMetric(writer, metric);
      return endExport(writer, open);
    },
    readPartialSuccess,
  };
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
