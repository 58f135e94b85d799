import { randomBytes } from 'node:crypto';
import { limits } from '../kernel/limits.ts';
import { type Argon2, type Cost, loadArgon2 } from './argon2.ts';
import { BoundedQueue } from './bounded-queue.ts';

/** OWASP's recommendation for what people make up: 19 MiB and two passes. */
const passwordCost: Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** 256 random bits can't be guessed at any speed, so that stretching them would only slow calls down. */
const keyCost: Cost = { memoryCost: 64, timeCost: 1, parallelism: 1 };

export function passwordHashing(): Hashing {
  return new Hashing(
    passwordCost,
    new BoundedQueue({ atOnce: limits.passwordHashesAtOnce, waitingMax: limits.passwordHashesWaiting }),
  );
}

export function keyHashing(): Hashing {
  return new Hashing(
    keyCost,
    new BoundedQueue({ atOnce: limits.keyHashesAtOnce, waitingMax: limits.keyHashesWaiting }),
  );
}

/** argon2id on threads of its own. */
export class Hashing {
  /** The hash of nothing that anybody knows; to check against it takes as long as against a real one. */
  readonly decoy: string;
  readonly #cost: Cost;
  readonly #queue: BoundedQueue;
  #argon2: Promise<Argon2> | undefined;

  constructor(cost: Cost, queue: BoundedQueue) {
    this.#cost = cost;
    this.#queue = queue;
    this.decoy = decoyOf(cost);
  }

  hash(text: string): Promise<string> {
    return this.#queue.run(async () => (await this.#loaded()).hash(text, this.#cost));
  }

  verify(hashed: string, text: string): Promise<boolean> {
    return this.#queue.run(async () => (await this.#loaded()).verify(hashed, text));
  }

  /** With the first password or key: a gateway without accounts needs none. */
  #loaded(): Promise<Argon2> {
    this.#argon2 ??= loadArgon2();
    return this.#argon2;
  }
}

function decoyOf({ memoryCost, timeCost, parallelism }: Cost): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`;
}
