import type { Origin, SpanBatch } from './encoding.ts';
import { writeAttribute, writeMeasurement } from './protobuf-attributes.ts';
import { beginExport, endExport, type OpenExport } from './protobuf-export.ts';
import type { ProtobufWriter } from './protobuf-writer.ts';
import { cut, type NamedValues, type Span, type SpanAttributes } from './span.ts';

/** The attributes of the last span of its kind, and where each begins in the batch; the last place is the end. */
interface Similar {
  attributes: SpanAttributes;
  readonly starts: number[];
}

interface ProtobufSpanBatchParts {
  /** Empty, and used by nobody else. */
  readonly writer: ProtobufWriter;
  readonly origin: Origin;
  /** Takes the writer back. */
  release(): void;
}

/** Spans as they are sent. Field numbers are those of https://github.com/open-telemetry/opentelemetry-proto. */
export class ProtobufSpanBatch implements SpanBatch {
  readonly #writer: ProtobufWriter;
  readonly #export: OpenExport;
  readonly #release: () => void;
  readonly #similar = new Map<string, Similar>();
  count = 0;

  constructor({ writer, origin, release }: ProtobufSpanBatchParts) {
    this.#writer = writer;
    this.#export = beginExport(writer, origin);
    this.#release = release;
  }

  get bytes(): number {
    return this.#writer.length;
  }

  add(span: Span): void {
    const writer = this.#writer;
    const start = writer.beginLong(2);
    writer.hex(1, span.traceId);
    writer.hex(2, span.spanId);
    if (span.tracestate !== undefined) writer.string(3, span.tracestate);
    if (span.parentSpanId !== undefined) writer.hex(4, span.parentSpanId);
    writer.string(5, cut(span.name));
    writer.uint(6, span.kind);
    writer.nanoseconds(7, span.startUs);
    writer.nanoseconds(8, span.endUs);
    this.#writeAttributes(span);
    const { names, values } = span.measurements;
    for (const [at, value] of values.entries())
      writeMeasurement(writer, attributesField, names[at] ?? '', value);
    if (span.content !== undefined) writeTexts(writer, span.content);
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
    writer.endLong(start);
    this.count++;
  }

  encode(): Uint8Array {
    return endExport(this.#writer, this.#export);
  }

  release(): void {
    this.#release();
  }

  /** Attributes that repeat those of the last similar span are copied from it in one piece: most do. */
  #writeAttributes({ similar, attributes }: Span): void {
    const writer = this.#writer;
    const { names, values } = attributes;
    const last = this.#similar.get(similar);
    const starts = last?.starts ?? [];
    for (let at = 0; at < names.length; ) {
      const same = last === undefined ? at : endOfSame(last.attributes, attributes, at);
      if (same === at) {
        const [name, value] = [names[at], values[at]];
        starts[at++] = writer.length;
        if (name !== undefined && value !== undefined) writeAttribute(writer, attributesField, name, value);
        continue;
      }
      const from = starts[at] ?? 0;
      const shift = writer.length - from;
      writer.repeat(from, starts[same] ?? from);
      for (; at < same; at++) starts[at] = (starts[at] ?? 0) + shift;
    }
    starts[names.length] = writer.length;
    if (last === undefined) this.#similar.set(similar, { attributes, starts });
    else last.attributes = attributes;
  }
}

/** Where the two differ again, from this place on. */
function endOfSame(before: SpanAttributes, now: SpanAttributes, from: number): number {
  let at = from;
  while (at < now.names.length && before.names[at] === now.names[at] && before.values[at] === now.values[at])
    at++;
  return at;
}

function writeTexts(writer: ProtobufWriter, { names, values }: NamedValues<string>): void {
  for (const [at, text] of values.entries()) {
    const start = writer.begin(attributesField);
    writer.string(1, names[at] ?? '');
    const of = writer.begin(2);
    writer.string(1, text);
    writer.end(of);
    writer.end(start);
  }
}

const attributesField = 9;
