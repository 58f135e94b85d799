import type { Turn, TurnStore } from '../kernel/continuation.ts';
import type { CacheBackend } from '../kernel/ports/scoped-cache.ts';
import { limits } from './limits.ts';

/** Encrypts text at rest. Text sealed in one context can't be opened in another. */
export interface TurnSealer {
  seal(text: string, context: string): SealedText;
  /** Undefined if none of our keys opens it. */
  open(sealed: SealedText, context: string): string | undefined;
}

interface SealedText {
  /** The name of the key: 16 characters. */
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

const keyNameBytes = 16;

/** Stores turns in a cache of their own, so that no module's cache evicts them; sealed if the cache is shared. */
export class CachedTurnStore implements TurnStore {
  readonly #backend: CacheBackend;
  readonly #sealer: TurnSealer | undefined;

  constructor(cacheBackend: CacheBackend, sealer: TurnSealer | undefined) {
    this.#backend = cacheBackend;
    this.#sealer = sealer;
  }

  async find(scope: string, id: string): Promise<Turn | undefined> {
    const bytes = await this.#backend.cacheFor(scope).get(id);
    const text = bytes === undefined ? undefined : this.#decode(bytes, sealingContext(scope, id));
    return text === undefined ? undefined : JSON.parse(text);
  }

  async save(scope: string, id: string, turn: Turn): Promise<void> {
    const bytes = this.#encode(JSON.stringify(turn), sealingContext(scope, id));
    await this.#backend.cacheFor(scope).put(id, bytes, limits.turnLifeSeconds);
  }

  async delete(scope: string, id: string): Promise<void> {
    await this.#backend.cacheFor(scope).delete(id);
  }

  #encode(text: string, context: string): Uint8Array {
    if (this.#sealer === undefined) return Buffer.from(text);
    const { sealedBy, sealed } = this.#sealer.seal(text, context);
    return Buffer.concat([Buffer.from(sealedBy, 'latin1'), sealed]);
  }

  #decode(bytes: Uint8Array, context: string): string | undefined {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#sealer === undefined) return buffer.toString('utf8');
    const sealedBy = buffer.toString('latin1', 0, keyNameBytes);
    return this.#sealer.open({ sealedBy, sealed: buffer.subarray(keyNameBytes) }, context);
  }
}

function sealingContext(scope: string, id: string): string {
  return JSON.stringify([scope, id]);
}
