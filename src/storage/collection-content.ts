import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { EntryContent } from '../kernel/ports/collection-table.ts';
import { type Collection, type FieldColumns, ValueTooLargeError } from '../kernel/ports/collections.ts';
import { limits } from './limits.ts';
import { toJson } from './module-entry-validation.ts';
import type { ByteSealer } from './sealed-cache-backend.ts';

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

export interface PackedContent extends EntryContent {
  readonly bytes: number;
}

/** A value as JSON, or compressed and sealed. Rejects a value that is too large or that the schema refuses. */
export async function packValue<Value, Fields extends FieldColumns>(
  collection: Collection<Value, Fields>,
  value: Value,
  { sealer, context }: { readonly sealer: ByteSealer; readonly context: string },
): Promise<PackedContent> {
  await checkValue(collection, value);
  const json = toJson(value);
  const content = collection.sealed
    ? { value: null, ...sealer.seal(await compress(json), context) }
    : { value: json, sealedBy: null, sealed: null };
  const bytes = content.sealed?.byteLength ?? Buffer.byteLength(json);
  const { valueBytesMax = kernelLimits.collectionValueBytes } = collection;
  if (bytes > valueBytesMax) throw new ValueTooLargeError(bytes, valueBytesMax);
  return { ...content, bytes };
}

/** A short text takes less time than its way to another thread. */
function compress(json: string): Buffer | Promise<Buffer> {
  return json.length <= limits.compressedAtOnceChars ? deflateRawSync(json) : pack(json);
}

/** Undefined if none of our keys opens it. */
export async function unpackValue(
  { value, sealedBy, sealed }: EntryContent,
  { sealer, context }: { readonly sealer: ByteSealer; readonly context: string },
): Promise<{ readonly json: string } | undefined> {
  if (value !== null) return { json: value };
  const packed =
    sealedBy === null || sealed === null ? undefined : sealer.openBytes({ sealedBy, sealed }, context);
  return packed === undefined
    ? undefined
    : { json: (await unpack(packed, { maxOutputLength: limits.unpackedValueBytesMax })).toString('utf8') };
}

async function checkValue<Value, Fields extends FieldColumns>(
  { name, value: schema }: Collection<Value, Fields>,
  value: Value,
): Promise<void> {
  if (schema === undefined) return;
  const { issues } = await schema['~standard'].validate(value);
  const [issue] = issues ?? [];
  if (issue === undefined) return;
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  throw new Error(`collection "${name}": ${path === '' ? '' : `${path}: `}${issue.message}`);
}
