import { ClientRequest } from '../kernel/client-request.ts';
import { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { payerBudgetHolder } from '../kernel/ports/budget.ts';
import type { PendingCall, PreparedCall } from './admission.ts';
import { type CallerAdmission, type CountedCall, uncountedCall } from './caller-admission.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import { guestCredentials } from './guest-credentials.ts';
import { paidBodySchema, toMessagesBody } from './paid-body.ts';
import type { PaidModels } from './paid-models.ts';

export interface PaymentAdmissionParts {
  readonly models: PaidModels;
  /** Protective modules only. */
  readonly pipeline: Pipeline;
}

/** Identifies a payer by the challenge of the call. */
export function payerIdentity(challengeId: string): CallerIdentity {
  const { accountId } = payerBudgetHolder;
  const caller = { kind: 'payer', challengeId } as const;
  return { caller, accountId, pipelineConfig: null, key: undefined, session: undefined };
}

/** Uses no quota, since every call is paid for, and limits a call to what its price covers. */
export class PaymentAdmission implements CallerAdmission {
  readonly #parts: PaymentAdmissionParts;

  constructor(parts: PaymentAdmissionParts) {
    this.#parts = parts;
  }

  async count(callerIdentity: CallerIdentity): Promise<CountedCall> {
    return uncountedCall(callerIdentity, undefined);
  }

  prepare(
    { id, clientRequest: incoming, presence: clientPresence, trace }: PendingCall,
    { caller }: CallerIdentity,
  ): PreparedCall {
    const { models, pipeline } = this.#parts;
    const body = paidBodySchema.parse(incoming.body);
    const { target, credential, maxTokens } = models.requireSold(body, incoming.bytes);
    const fields = LazyJsonObject.of(
      Buffer.from(JSON.stringify(toMessagesBody(body, target.model, maxTokens))),
    );
    // Headers of the client enable nothing: only its body counts.
    const headers = ['content-type', 'application/json', 'anthropic-version', '2023-06-01'];
    const clientRequest = new ClientRequest({ wire: incoming.wire, fields, headers, query: '' });
    return {
      exchange: new Exchange({
        id,
        clientRequest,
        caller,
        target,
        presence: clientPresence,
        trace,
        credentials: guestCredentials(target, credential),
      }),
      pipeline,
    };
  }
}
