import { Exchange } from '../kernel/exchange.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { AnonSession } from '../kernel/ports/sandbox.ts';
import type { Target } from '../kernel/provider.ts';
import type { Secret } from '../kernel/secret.ts';
import type { AnonymousSessions } from '../sandbox/anonymous-sessions.ts';
import type { Arrived, Ready } from './admission.ts';
import type { Known } from './callers.ts';
import { guestCall } from './guest-received.ts';
import type { Counted, Turnstile } from './turnstile.ts';

export interface SandboxTurnstileParts {
  readonly sessions: AnonymousSessions;
  /** Where all calls of the sandbox go, whatever model they name. */
  readonly target: Target;
  /** What the operator pays with. */
  readonly credential: Secret | undefined;
  /** Protective modules, and nothing else. */
  readonly pipeline: Pipeline;
}

/** Counts the calls of anonymous sessions, and makes of them what the operator pays for. */
export class SandboxTurnstile implements Turnstile {
  readonly #parts: SandboxTurnstileParts;

  constructor(parts: SandboxTurnstileParts) {
    this.#parts = parts;
  }

  async pass(known: Known): Promise<Counted> {
    const { sessions } = this.#parts;
    const session = sessionOf(known);
    const refusal = await sessions.take(session);
    let isOpen = refusal === undefined;
    return {
      known,
      periodStartMs: undefined,
      refusal,
      used() {
        isOpen = false;
      },
      unused() {
        if (isOpen) sessions.giveBack(session);
        isOpen = false;
      },
    };
  }

  prepare({ id, received: came, presence, trace }: Arrived, { caller }: Known): Ready {
    const { target, credential, pipeline } = this.#parts;
    const { received, maxTokens } = guestCall(came, target.model);
    trace.tell('sandbox', `model=${target.model}; max_tokens=${maxTokens}`);
    const credentials = {
      find: async ({ provider }: Target) => (provider === target.provider ? credential : undefined),
    };
    return {
      exchange: new Exchange({ id, received, caller, target, presence, trace, credentials }),
      pipeline,
    };
  }
}

function sessionOf({ session }: Known): AnonSession {
  if (session === undefined) throw new Error('only anonymous sessions pass here');
  return session;
}
