import type { BodyMemoryBudget, MemoryReservation } from '../body-memory-budget.ts';
import { limits } from '../limits.ts';

/** The input and output of one call. */
interface SocketTurn {
  readonly previous: string | undefined;
  readonly items: readonly Buffer[];
  readonly bytes: number;
  readonly memory: MemoryReservation;
}

/** The conversation that a call continues. */
interface SocketHistory {
  /** The items of its turns, the oldest first. */
  readonly items: readonly Buffer[];
  /** The answer before them, which lies elsewhere. */
  readonly previous: string | undefined;
}

/** The turns that clients can continue on their WebSocket only: the newest of them, within the memory for requests. */
export class SocketTurns {
  readonly #turns = new Map<string, SocketTurn>();
  readonly #memoryBudget: BodyMemoryBudget;
  readonly #accountId: string;
  #bytes = 0;

  constructor(memoryBudget: BodyMemoryBudget, accountId: string) {
    this.#memoryBudget = memoryBudget;
    this.#accountId = accountId;
  }

  /** The turns up to an answer; undefined if they are not here. */
  historyOf(id: string | undefined): SocketHistory | undefined {
    const items: (readonly Buffer[])[] = [];
    let previous = id;
    for (let turn = this.#find(previous); turn !== undefined; turn = this.#find(previous)) {
      // Providers choose the ids, and could make a circle of them.
      if (items.length === this.#turns.size) return undefined;
      items.push(turn.items);
      previous = turn.previous;
    }
    return items.length === 0 ? undefined : { items: items.reverse().flat(), previous };
  }

  /** Leaves the turn out if there is no memory for it: the client then sends the conversation again. */
  add(id: string, { previous, items }: Pick<SocketTurn, 'previous' | 'items'>): void {
    const bytes = items.reduce((sum, { byteLength }) => sum + byteLength, 0) + limits.parsedValueBytes;
    // A provider that uses an id twice has no id for either answer.
    if (bytes > limits.callSocket.turnBytesMax || this.#delete(id)) return;
    this.#makeRoom(bytes);
    const memory = this.#memoryBudget.reserve(this.#accountId);
    try {
      memory.add(bytes);
    } catch {
      return;
    }
    this.#bytes += bytes;
    // Copies, so that no turn keeps a whole message in memory.
    this.#turns.set(id, { previous, items: items.map((piece) => Buffer.from(piece)), bytes, memory });
  }

  clear(): void {
    for (const id of [...this.#turns.keys()]) this.#delete(id);
  }

  #find(id: string | undefined): SocketTurn | undefined {
    return id === undefined ? undefined : this.#turns.get(id);
  }

  #makeRoom(bytes: number): void {
    const { turnsMax, turnBytesMax } = limits.callSocket;
    for (const id of this.#turns.keys()) {
      if (this.#turns.size < turnsMax && this.#bytes + bytes <= turnBytesMax) return;
      this.#delete(id);
    }
  }

  #delete(id: string): boolean {
    const turn = this.#turns.get(id);
    if (turn === undefined) return false;
    this.#turns.delete(id);
    this.#bytes -= turn.bytes;
    turn.memory.release();
    return true;
  }
}
