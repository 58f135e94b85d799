import { createHash } from 'node:crypto';
import { limits } from '../../kernel/limits.ts';
import { Lru } from '../../kernel/lru.ts';
import type { LoggedCall, LoggedStep } from '../../kernel/ports/request-log.ts';

/** All by which calls are filtered and summed up. */
type KindParts = Pick<
  LoggedCall,
  'accountId' | 'keyId' | 'askedBy' | 'modelAsked' | 'modelUsed' | 'provider' | 'status' | 'errorCode'
> & {
  readonly ending: string;
  readonly steps: readonly Pick<LoggedStep, 'module' | 'effect'>[];
};

/** Names the kind of a call. Calls are stored with it, so that the same kind must have the same name for ever. */
export class KindNames {
  readonly #known = new Lru<string>(limits.requestKindsKnown);

  of(call: KindParts): string {
    const parts = partsOf(call);
    const known = this.#known.get(parts);
    if (known !== undefined) return known;
    const name = createHash('sha256').update(parts).digest('base64url').slice(0, 16);
    this.#known.set(parts, name);
    return name;
  }
}

/** Clients choose the model, so it comes last and with its length: it can't be taken for another part. */
function partsOf(call: KindParts): string {
  const { accountId, keyId, askedBy, provider, status, ending, errorCode, modelAsked, modelUsed } = call;
  let steps = '';
  for (const { module, effect } of call.steps) steps += `${module}:${effect},`;
  return `${accountId}\n${keyId ?? ''}\n${askedBy ?? ''}\n${provider ?? ''}\n${status}\n${ending}\n${errorCode ?? ''}\n${steps}\n${modelAsked.length}\n${modelAsked}\n${modelUsed ?? '\0'}`;
}
