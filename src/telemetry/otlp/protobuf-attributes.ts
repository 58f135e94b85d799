import type { ProtobufWriter } from './protobuf-writer.ts';
import { type Attributes, type AttributeValue, cut } from './span.ts';

export function writeAttributes(writer: ProtobufWriter, field: number, attributes: Attributes): void {
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) writeAttribute(writer, field, name, value);
  }
}

/** A `KeyValue`. */
export function writeAttribute(
  writer: ProtobufWriter,
  field: number,
  name: string,
  value: Exclude<AttributeValue, undefined>,
): void {
  if (typeof value === 'string' && writer.shortText(field, name, value)) return;
  if (typeof value === 'number' && writer.shortUint(field, name, value)) return;
  const start = writer.begin(field);
  writer.string(1, name);
  const of = writer.begin(2);
  writeValue(writer, value);
  writer.end(of);
  writer.end(start);
}

/** A `KeyValue` with a floating-point number. */
export function writeMeasurement(writer: ProtobufWriter, field: number, name: string, value: number): void {
  if (writer.shortDouble(field, name, value)) return;
  const start = writer.begin(field);
  writer.string(1, name);
  const of = writer.begin(2);
  writer.double(4, value);
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
