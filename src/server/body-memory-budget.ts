import { GatewayError } from '../kernel/errors.ts';
import { limits } from './limits.ts';

/** The maximum memory for request bodies: in total, and per caller. */
interface MemoryBounds {
  readonly totalBytesMax: number;
  readonly callerBytesMax: number;
}

/**
 * Limits the memory of in-flight requests: their body bytes and an estimate for their parsed values. Small requests
 * count only towards the total, to keep ordinary calls cheap.
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

  /** Starts the reservation of one request. */
  reserve(owner: string): MemoryReservation {
    return new MemoryReservation(this, owner);
  }

  /** Throws, and reserves nothing, if a limit would be exceeded. */
  acquire(owner: string, bytes: number, isLarge: boolean): void {
    if (this.#bytes + bytes > this.#bounds.totalBytesMax) throw budgetExceededError('');
    if (isLarge) {
      const own = (this.#byOwner.get(owner) ?? 0) + bytes;
      if (own > this.#bounds.callerBytesMax) throw budgetExceededError(' from this account');
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

/** The memory of one request. */
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

  /** Adds received body bytes. */
  add(bytes: number): void {
    if (!this.#isLarge && this.#bytes + bytes > limits.smallBodyBytes) this.#countForCaller();
    this.#budget.acquire(this.#owner, bytes, this.#isLarge);
    this.#bytes += bytes;
  }

  /** Adds the estimate for the parsed body. */
  parsed(values: number): void {
    const bytes = values * limits.parsedValueBytes;
    if (!this.#isLarge && bytes > limits.smallBodyBytes) this.#countForCaller();
    this.#budget.acquire(this.#owner, bytes, this.#isLarge);
    this.#parsedBytes += bytes;
  }

  /** Releases the parsed body. */
  letGo(): void {
    this.#budget.release(this.#owner, this.#parsedBytes, this.#isLarge);
    this.#parsedBytes = 0;
  }

  /** Releases everything, at the end of the request. */
  release(): void {
    this.#budget.release(this.#owner, this.#bytes + this.#parsedBytes, this.#isLarge);
    this.#bytes = 0;
    this.#parsedBytes = 0;
  }

  /** From now on the request also counts towards its caller's limit. */
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

function budgetExceededError(origin: string): GatewayError {
  return new GatewayError('busy', `too many large requests${origin} are in flight; retry shortly`, {
    retryAfterSeconds: 1,
  });
}
