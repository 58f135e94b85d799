import { Exchange } from '../kernel/exchange.ts';
import { Outline } from '../kernel/outline.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { payerHolder } from '../kernel/ports/purse.ts';
import type { Target } from '../kernel/provider.ts';
import { Received } from '../kernel/received.ts';
import type { Arrived, Ready } from './admission.ts';
import type { Known } from './callers.ts';
import { messagesOf, paidBodySchema } from './paid-body.ts';
import type { PaidModels } from './paid-models.ts';
import { type Counted, openTurnstile, type Turnstile } from './turnstile.ts';

export interface PayerTurnstileParts {
  readonly models: PaidModels;
  /** Protective modules, and nothing else. */
  readonly pipeline: Pipeline;
}

/** Whoever pays for one call is known by what was quoted for it. */
export function payerOf(challengeId: string): Known {
  const { accountId } = payerHolder;
  const caller = { kind: 'payer', challengeId } as const;
  return { caller, accountId, pipelineConfig: null, key: undefined, session: undefined };
}

/** Counts nothing, since every call is paid for, and makes of a call what its price has room for. */
export class PayerTurnstile implements Turnstile {
  readonly #parts: PayerTurnstileParts;

  constructor(parts: PayerTurnstileParts) {
    this.#parts = parts;
  }

  pass(known: Known): Counted | Promise<Counted> {
    return openTurnstile.pass(known, []);
  }

  prepare({ id, received: came, presence, trace }: Arrived, { caller }: Known): Ready {
    const { models, pipeline } = this.#parts;
    const body = paidBodySchema.parse(came.body);
    const { target, credential, maxTokens } = models.sold(body, came.bytes);
    const fields = Outline.of(Buffer.from(JSON.stringify(messagesOf(body, target.model, maxTokens))));
    // Nothing that the client sent beside its body switches anything on.
    const headers = ['content-type', 'application/json', 'anthropic-version', '2023-06-01'];
    const received = new Received({ wire: came.wire, fields, headers, query: '' });
    const credentials = {
      find: async ({ provider }: Target) => (provider === target.provider ? credential : undefined),
    };
    return {
      exchange: new Exchange({ id, received, caller, target, presence, trace, credentials }),
      pipeline,
    };
  }
}
