import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';

/** How many bytes may be held for requests at once: of all callers together, and of one. */
interface MemoryBounds {
  readonly totalBytesMax: number;
  readonly callerBytesMax: number;
}

/**
 * What requests weigh while they are under way: the bytes of their bodies, and about what their parsed values take. Small
 * requests count only in the sum of all, so that the ordinary call costs two additions.
 */
export class BodyMemoryBudget {
  readonly #bounds: MemoryBounds;
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  constructor(memoryBounds: MemoryBounds) {
    this.#bounds = memoryBounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** For one request of this caller. */
  reserve(owner: string): MemoryReservation {
    return new MemoryReservation(this, owner);
  }

  /** Refuses what there is no room for; nothing is taken on then. */
  acquire(owner: string, bytes: number, isLarge: boolean): void {
    if (this.#bytes + bytes > this.#bounds.totalBytesMax) throw budgetExceededError('');
    if (isLarge) {
      const own = (this.#byOwner.get(owner) ?? 0) + bytes;
      if (own > this.#bounds.callerBytesMax) throw budgetExceededError(' of yours');
      this.#byOwner.set(owner, own);
    }
    this.#bytes += bytes;
  }

  release(owner: string, bytes: number, isLarge: boolean): void {
    this.#bytes -= bytes;
    if (!isLarge) return;
    const left = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
  }
}

/** What one request weighs. */
export class MemoryReservation {
  readonly #budget: BodyMemoryBudget;
  readonly #owner: string;
  #bytes = 0;
  #parsedBytes = 0;
  #isLarge = false;

  constructor(bodyMemoryBudget: BodyMemoryBudget, owner: string) {
    this.#budget = bodyMemoryBudget;
    this.#owner = owner;
  }

  /** More of its body is there. */
  add(bytes: number): void {
    if (!this.#isLarge && this.#bytes + bytes > limits.smallBodyBytes) this.#countForCaller();
    this.#budget.acquire(this.#owner, bytes, this.#isLarge);
    this.#bytes += bytes;
  }

  /** Its body was parsed. */
  parsed(values: number): void {
    const bytes = values * limits.parsedValueBytes;
    if (!this.#isLarge && bytes > limits.smallBodyBytes) this.#countForCaller();
    this.#budget.acquire(this.#owner, bytes, this.#isLarge);
    this.#parsedBytes += bytes;
  }

  /** What was parsed is not held any more. */
  letGo(): void {
    this.#budget.release(this.#owner, this.#parsedBytes, this.#isLarge);
    this.#parsedBytes = 0;
  }

  /** The request is over. */
  release(): void {
    this.#budget.release(this.#owner, this.#bytes + this.#parsedBytes, this.#isLarge);
    this.#bytes = 0;
    this.#parsedBytes = 0;
  }

  /** From now on it counts for its caller, too. */
  #countForCaller(): void {
    const held = this.#bytes + this.#parsedBytes;
    this.#budget.release(this.#owner, held, false);
    try {
      this.#budget.acquire(this.#owner, held, true);
    } catch (refusal) {
      this.#budget.acquire(this.#owner, held, false);
      throw refusal;
    }
    this.#isLarge = true;
  }
}

function budgetExceededError(whose: string): GatewayError {
  return new GatewayError('busy', `too many large requests${whose} are under way; try again in a moment`, {
    retryAfterSeconds: 1,
  });
}
