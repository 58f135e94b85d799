import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectsOf } from '../json-values.ts';

/** Whether a client wants vectors as base64, which is the default of OpenAI's SDKs. */
export function wantsBase64(body: JsonObject): boolean {
  return body.encoding_format === 'base64';
}

/** The bytes of its numbers in 32 bits each, as base64. */
export function packVector(values: readonly number[] | Float32Array): string {
  const { buffer, byteOffset, byteLength } = Float32Array.from(values);
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** An answer with its vectors as base64. */
export function packVectors(answer: JsonObject): JsonObject {
  const data = objectsOf(answer.data).map((item) =>
    isVector(item.embedding) ? { ...item, embedding: packVector(item.embedding) } : item,
  );
  return { ...answer, data };
}

export function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}

export interface VectorList {
  /** Lists of numbers, or base64. */
  readonly vectors: readonly unknown[];
  readonly model: unknown;
  readonly tokens: number | undefined;
}

/** An answer in OpenAI's form. */
export function vectorAnswer({ vectors, model, tokens }: VectorList): JsonObject {
  return {
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model,
    ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

/** The field of an object in an answer. */
export function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
