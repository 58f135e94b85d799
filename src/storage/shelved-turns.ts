import type { Turn, Turns } from '../kernel/continuation.ts';
import { limits } from '../kernel/limits.ts';
import type { Shelves } from '../kernel/ports/shelves.ts';

/** Turns on shelves of their own, so that no module's cache crowds them out. */
export class ShelvedTurns implements Turns {
  readonly #shelves: Shelves;

  constructor(shelves: Shelves) {
    this.#shelves = shelves;
  }

  async recall(scope: string, id: string): Promise<Turn | undefined> {
    const bytes = await this.#shelves.shelf(scope).get(id);
    return bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'));
  }

  async keep(scope: string, id: string, turn: Turn): Promise<void> {
    await this.#shelves.shelf(scope).put(id, Buffer.from(JSON.stringify(turn)), limits.turnLifeSeconds);
  }
}
