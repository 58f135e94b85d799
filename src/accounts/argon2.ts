import * as crypto from 'node:crypto';
import { promisify } from 'node:util';
import { permitted } from '../lib/permitted.ts';

export interface Argon2Cost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Hashes in the PHC string format, which includes the cost. */
export interface Argon2 {
  hash(text: string, argon2Cost: Argon2Cost): Promise<string>;
  verify(hashed: string, text: string): Promise<boolean>;
}

/** Uses the native package; if its binary, an optional dependency, isn't installed, that of Node.js. */
export async function loadArgon2(): Promise<Argon2> {
  // In an airgap no native code is loaded.
  if (!permitted.nativeCode && crypto.argon2 !== undefined) return nodeArgon2;
  try {
    return await import('@node-rs/argon2');
  } catch (cause) {
    if (crypto.argon2 === undefined)
      throw new Error('@node-rs/argon2 is not installed for this platform, and this Node.js has no argon2', {
        cause,
      });
    return nodeArgon2;
  }
}

/** Reads and writes the same format. */
export const nodeArgon2: Argon2 = {
  async hash(text, argon2Cost) {
    const salt = crypto.randomBytes(saltBytes);
    const hashed = await deriveHash(text, { cost: argon2Cost, salt, bytes: hashBytes });
    const { memoryCost, timeCost, parallelism } = argon2Cost;
    return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${unpaddedBase64(salt)}$${unpaddedBase64(hashed)}`;
  },
  async verify(hashed, text) {
    const [, memory, time, lanes, salt, expected] = encodedHashPattern.exec(hashed) ?? [];
    if (salt === undefined || expected === undefined) throw new Error('not an argon2id hash');
    const cost = { memoryCost: Number(memory), timeCost: Number(time), parallelism: Number(lanes) };
    const wanted = Buffer.from(expected, 'base64');
    const derived = await deriveHash(text, { cost, salt: Buffer.from(salt, 'base64'), bytes: wanted.length });
    return crypto.timingSafeEqual(derived, wanted);
  },
};

const saltBytes = 16;
const hashBytes = 32;
const encodedHashPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

interface Derivation {
  readonly cost: Argon2Cost;
  readonly salt: Uint8Array;
  readonly bytes: number;
}

function deriveHash(text: string, { cost: argon2Cost, salt, bytes }: Derivation): Promise<Buffer> {
  return promisify(crypto.argon2)('argon2id', {
    message: Buffer.from(text),
    nonce: salt,
    memory: argon2Cost.memoryCost,
    passes: argon2Cost.timeCost,
    parallelism: argon2Cost.parallelism,
    tagLength: bytes,
  });
}

function unpaddedBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
