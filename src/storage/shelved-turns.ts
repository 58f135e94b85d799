import type { Turn, Turns } from '../kernel/continuation.ts';
import { limits } from '../kernel/limits.ts';
import type { Shelves } from '../kernel/ports/shelves.ts';

/** Makes a text unreadable where it lies; what was sealed in one context opens in no other. */
export interface TurnSealing {
  seal(text: string, context: string): SealedText;
  /** Undefined where no key of ours opens it. */
  open(sealed: SealedText, context: string): string | undefined;
}

interface SealedText {
  /** The name of the key, of sixteen characters. */
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

const keyNameBytes = 16;

/** Turns on shelves of their own, so that no module's cache crowds them out; sealed where others may see the shelves. */
export class ShelvedTurns implements Turns {
  readonly #shelves: Shelves;
  readonly #sealing: TurnSealing | undefined;

  constructor(shelves: Shelves, sealing: TurnSealing | undefined) {
    this.#shelves = shelves;
    this.#sealing = sealing;
  }

  async recall(scope: string, id: string): Promise<Turn | undefined> {
    const bytes = await this.#shelves.shelf(scope).get(id);
    const text = bytes === undefined ? undefined : this.#read(bytes, contextOf(scope, id));
    return text === undefined ? undefined : JSON.parse(text);
  }

  async keep(scope: string, id: string, turn: Turn): Promise<void> {
    const bytes = this.#written(JSON.stringify(turn), contextOf(scope, id));
    await this.#shelves.shelf(scope).put(id, bytes, limits.turnLifeSeconds);
  }

  #written(text: string, context: string): Uint8Array {
    if (this.#sealing === undefined) return Buffer.from(text);
    const { sealedBy, sealed } = this.#sealing.seal(text, context);
    return Buffer.concat([Buffer.from(sealedBy, 'latin1'), sealed]);
  }

  #read(bytes: Uint8Array, context: string): string | undefined {
    const written = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#sealing === undefined) return written.toString('utf8');
    const sealedBy = written.toString('latin1', 0, keyNameBytes);
    return this.#sealing.open({ sealedBy, sealed: written.subarray(keyNameBytes) }, context);
  }
}

function contextOf(scope: string, id: string): string {
  return JSON.stringify([scope, id]);
}
