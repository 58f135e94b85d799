import { Exchange } from '../kernel/exchange.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { AnonSession } from '../kernel/ports/sandbox.ts';
import type { Target } from '../kernel/provider.ts';
import type { Secret } from '../lib/secret.ts';
import type { AnonymousSessions } from '../sandbox/anonymous-sessions.ts';
import type { PendingCall, PreparedCall } from './admission.ts';
import type { CallerAdmission, CountedCall } from './caller-admission.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import { createGuestCall } from './guest-call.ts';
import { guestCredentials } from './guest-credentials.ts';

export interface SandboxAdmissionParts {
  readonly sessions: AnonymousSessions;
  /** The target of all sandbox calls, whatever model they name. */
  readonly target: Target;
  /** The operator's credential. */
  readonly credential: Secret | undefined;
  /** Protective modules only. */
  readonly pipeline: Pipeline;
}

/** Counts the calls of anonymous sessions and limits them to what the operator pays for. */
export class SandboxAdmission implements CallerAdmission {
  readonly #parts: SandboxAdmissionParts;

  constructor(parts: SandboxAdmissionParts) {
    this.#parts = parts;
  }

  async count(identity: CallerIdentity): Promise<CountedCall> {
    const { sessions } = this.#parts;
    const session = requireSession(identity);
    const rejection = await sessions.take(session);
    let isOpen = rejection === undefined;
    return {
      identity,
      periodStartMs: undefined,
      rejection,
      commit() {
        isOpen = false;
      },
      release() {
        if (isOpen) sessions.giveBack(session);
        isOpen = false;
      },
    };
  }

  prepare(
    { id, clientRequest: incoming, presence: clientPresence, trace }: PendingCall,
    { caller }: CallerIdentity,
  ): PreparedCall {
    const { target, credential, pipeline } = this.#parts;
    const { clientRequest, maxTokens } = createGuestCall(incoming, target.model);
    trace.setHeader('sandbox', `model=${target.model}; max_tokens=${maxTokens}`);
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

function requireSession({ session }: CallerIdentity): AnonSession {
  if (session === undefined) throw new Error('the caller has no anonymous session');
  return session;
}
