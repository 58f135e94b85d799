import { randomBytes } from 'node:crypto';
import { type Argon2, type Argon2Cost, loadArgon2 } from './argon2.ts';
import { BoundedQueue } from './bounded-queue.ts';
import { limits } from './limits.ts';

/** OWASP's recommendation for passwords: 19 MiB and two passes. */
const passwordCost: Argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** 256 random bits can't be guessed at any speed, so key stretching would only slow calls down. */
const keyCost: Argon2Cost = { memoryCost: 64, timeCost: 1, parallelism: 1 };

export function createPasswordHasher(argon2Cost = passwordCost): SecretHasher {
  return new SecretHasher(
    argon2Cost,
    new BoundedQueue({ atOnce: limits.passwordHashesAtOnce, waitingMax: limits.passwordHashesWaiting }),
  );
}

export function createKeyHasher(): SecretHasher {
  return new SecretHasher(
    keyCost,
    new BoundedQueue({ atOnce: limits.keyHashesAtOnce, waitingMax: limits.keyHashesWaiting }),
  );
}

/** argon2id on its own threads. */
export class SecretHasher {
  /** The hash of an unknown random text; verifying against it takes as long as against a real one. */
  readonly decoyHash: string;
  readonly #cost: Argon2Cost;
  readonly #queue: BoundedQueue;
  #argon2: Promise<Argon2> | undefined;

  constructor(argon2Cost: Argon2Cost, queue: BoundedQueue) {
    this.#cost = argon2Cost;
    this.#queue = queue;
    this.decoyHash = createDecoyHash(argon2Cost);
  }

  hash(text: string): Promise<string> {
    return this.#queue.run(async () => (await this.#load()).hash(text, this.#cost));
  }

  verify(hashed: string, text: string): Promise<boolean> {
    return this.#queue.run(async () => (await this.#load()).verify(hashed, text));
  }

  /** Loaded with the first password or key: a gateway without accounts does not need it. */
  #load(): Promise<Argon2> {
    this.#argon2 ??= loadArgon2();
    return this.#argon2;
  }
}

function createDecoyHash({ memoryCost, timeCost, parallelism }: Argon2Cost): string {
  const random = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`;
}
