import { type Origin, scopeName } from './encoding.ts';
import { writeAttributes } from './protobuf-attributes.ts';
import type { ProtobufWriter } from './protobuf-writer.ts';

/** The places of `beginExport`, for `endExport`. */
export interface OpenExport {
  readonly ofResource: number;
  readonly ofScope: number;
}

/** Begins an export request of one resource and one scope. What follows are spans or metrics, which have the same field number there. */
export function beginExport(writer: ProtobufWriter, { resource, version }: Origin): OpenExport {
  const ofResource = writer.beginLong(1);
  const described = writer.begin(1);
  writeAttributes(writer, 1, resource);
  writer.end(described);
  const ofScope = writer.beginLong(2);
  const scope = writer.begin(1);
  writer.string(1, scopeName);
  writer.string(2, version);
  writer.end(scope);
  return { ofResource, ofScope };
}

export function endExport(writer: ProtobufWriter, { ofResource, ofScope }: OpenExport): Uint8Array {
  writer.endLong(ofScope);
  writer.endLong(ofResource);
  return writer.bytes;
}
