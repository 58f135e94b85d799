import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';

/** How many bytes may be held for requests at once: of all callers together, and of one. */
interface Bounds {
  readonly all: number;
  readonly each: number;
}

/**
 * What requests weigh while they are under way: the bytes of their bodies, and about what their parsed values take. Small
 * requests count only in the sum of all, so that the ordinary call costs two additions.
 */
export class Ballast {
  readonly #bounds: Bounds;
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** For one request of this caller. */
  load(owner: string): Load {
    return new Load(this, owner);
  }

  /** Refuses what there is no room for; nothing is taken on then. */
  take(owner: string, bytes: number, isLarge: boolean): void {
    if (this.#bytes + bytes > this.#bounds.all) throw tooMuch('');
    if (isLarge) {
      const own = (this.#byOwner.get(owner) ?? 0) + bytes;
      if (own > this.#bounds.each) throw tooMuch(' of yours');
      this.#byOwner.set(owner, own);
    }
    this.#bytes += bytes;
  }

  give(owner: string, bytes: number, isLarge: boolean): void {
    this.#bytes -= bytes;
    if (!isLarge) return;
    const left = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
  }
}

/** What one request weighs. */
export class Load {
  readonly #ballast: Ballast;
  readonly #owner: string;
  #bytes = 0;
  #parsedBytes = 0;
  #isLarge = false;

  constructor(ballast: Ballast, owner: string) {
    this.#ballast = ballast;
    this.#owner = owner;
  }

  /** More of its body is there. */
  add(bytes: number): void {
    if (!this.#isLarge && this.#bytes + bytes > limits.smallBodyBytes) this.#grow();
    this.#ballast.take(this.#owner, bytes, this.#isLarge);
    this.#bytes += bytes;
  }

  /** Its body was parsed. */
  parsed(values: number): void {
    const bytes = values * limits.parsedValueBytes;
    if (!this.#isLarge && bytes > limits.smallBodyBytes) this.#grow();
    this.#ballast.take(this.#owner, bytes, this.#isLarge);
    this.#parsedBytes += bytes;
  }

  /** What was parsed is not held any more. */
  letGo(): void {
    this.#ballast.give(this.#owner, this.#parsedBytes, this.#isLarge);
    this.#parsedBytes = 0;
  }

  /** The request is over. */
  release(): void {
    this.#ballast.give(this.#owner, this.#bytes + this.#parsedBytes, this.#isLarge);
    this.#bytes = 0;
    this.#parsedBytes = 0;
  }

  /** From now on it counts for its caller, too. */
  #grow(): void {
    const held = this.#bytes + this.#parsedBytes;
    this.#ballast.give(this.#owner, held, false);
    try {
      this.#ballast.take(this.#owner, held, true);
    } catch (refusal) {
      this.#ballast.take(this.#owner, held, false);
      throw refusal;
    }
    this.#isLarge = true;
  }
}

function tooMuch(whose: string): GatewayError {
  return new GatewayError('busy', `too many large requests${whose} are under way; try again in a moment`, {
    retryAfterSeconds: 1,
  });
}
