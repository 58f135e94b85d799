import { createHash } from 'node:crypto';
import type { LoggedCall, LoggedStep } from '../../kernel/ports/request-log.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';

/** The attributes by which calls are filtered and summed up. */
type RequestKind = Pick<
  LoggedCall,
  | ('accountId' | 'keyId' | 'askedBy' | 'modelAsked' | 'modelUsed' | 'provider' | 'status' | 'errorCode')
  | ('client' | 'providerError')
> & {
  readonly ending: string;
  readonly steps: readonly KindStep[];
};

type KindStep = Pick<LoggedStep, 'module' | 'effect'>;

/** 16 characters, as a flat string: JSON takes twice as long to write a slice of another string. */
const kindHashBytes = 12;

/** Hashes the kind of a call. Calls are stored with the hash, so it must never change for a kind. */
export class RequestKindHasher {
  readonly #hashes = new Lru<string>(limits.cachedRequestKindsMax);
  /** Most calls have the kind of the previous one, and their parts needn't be joined. */
  #lastHashed: { readonly call: RequestKind; readonly name: string } | undefined;

  hash(call: RequestKind): string {
    if (this.#lastHashed === undefined || !isSameKind(this.#lastHashed.call, call))
      this.#lastHashed = { call, name: this.#hashText(serializeKind(call)) };
    return this.#lastHashed.name;
  }

  #hashText(parts: string): string {
    const existing = this.#hashes.get(parts);
    if (existing !== undefined) return existing;
    const name = createHash('sha256').update(parts).digest().toString('base64url', 0, kindHashBytes);
    this.#hashes.set(parts, name);
    return name;
  }
}

function isSameKind(one: RequestKind, other: RequestKind): boolean {
  return (
    one.status === other.status &&
    one.ending === other.ending &&
    one.errorCode === other.errorCode &&
    one.modelAsked === other.modelAsked &&
    one.modelUsed === other.modelUsed &&
    one.provider === other.provider &&
    one.keyId === other.keyId &&
    one.accountId === other.accountId &&
    one.askedBy === other.askedBy &&
    one.client === other.client &&
    one.providerError === other.providerError &&
    one.steps.length === other.steps.length &&
    one.steps.every((step, at) => isSameStep(step, other.steps[at]))
  );
}

function isSameStep(one: KindStep, other: KindStep | undefined): boolean {
  return one.module === other?.module && one.effect === other.effect;
}

/** Clients choose the model, so it comes last and with its length: it can't be mistaken for another part. */
function serializeKind(call: RequestKind): string {
  const { accountId, keyId, askedBy, provider, status, ending, errorCode, modelAsked, modelUsed } = call;
  const { client, providerError } = call;
  let steps = '';
  for (const { module, effect } of call.steps) steps += `${module}:${effect},`;
  // Kinds without these two have the names that earlier versions gave them; no account id begins like the others.
  const start =
    client === null && providerError === null ? '' : `[${client ?? ''}\n${providerError ?? ''}]\n`;
  return `${start}${accountId}\n${keyId ?? ''}\n${askedBy ?? ''}\n${provider ?? ''}\n${status}\n${ending}\n${errorCode ?? ''}\n${steps}\n${modelAsked.length}\n${modelAsked}\n${modelUsed ?? '\0'}`;
}
