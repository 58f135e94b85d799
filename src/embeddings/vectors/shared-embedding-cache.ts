import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { Vector } from '../../kernel/ports/embeddings.ts';
import type { VectorTable } from '../../kernel/ports/vectors.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import { inverseNorm, quantize } from './quantization.ts';

interface SharedEmbeddingCacheParts {
  readonly table: VectorTable;
  readonly clock: Clock;
  onError?(cause: unknown): void;
}

/** Caches vectors of non-secret texts in the database, by keys that reveal nothing of a text but equality. */
export class SharedEmbeddingCache {
  readonly #parts: SharedEmbeddingCacheParts;

  constructor(parts: SharedEmbeddingCacheParts) {
    this.#parts = parts;
  }

  /** The cached vectors; none if the database fails. */
  async find(names: readonly string[], space: string): Promise<ReadonlyMap<string, Vector>> {
    const { table, clock } = this.#parts;
    const found = new Map<string, Vector>();
    const nowMs = clock.now();
    try {
      for (let at = 0; at < names.length; at += kernelLimits.vectorRowsAtOnce) {
        const rows = await table.find(owner, space, names.slice(at, at + kernelLimits.vectorRowsAtOnce));
        for (const { id, codes, expiresAtMs } of rows)
          if (expiresAtMs > nowMs) found.set(id, { space, values: dequantize(codes) });
      }
    } catch (cause) {
      this.#parts.onError?.(cause);
    }
    return found;
  }

  /** Concurrent writers of a text store the same vector. */
  async store(vectors: ReadonlyMap<string, Vector>): Promise<void> {
    const { table, clock } = this.#parts;
    const addedAtMs = clock.now();
    const expiresAtMs = addedAtMs + limits.storedTextVectorLifeMs;
    try {
      for (const [id, { space, values }] of vectors)
        await table.add(
          owner,
          { part: space, id, space, codes: quantize(values), data: '', addedAtMs, expiresAtMs },
          limits.storedTextVectorsMax,
        );
    } catch (cause) {
      this.#parts.onError?.(cause);
    }
  }
}

/** No account has this scope. */
const owner = { module: 'texts', scope: 'everyone' };

function dequantize(codes: Int8Array): Float32Array {
  const scale = inverseNorm(codes);
  return Float32Array.from(codes, (code) => code * scale);
}
