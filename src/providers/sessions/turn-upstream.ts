import { setUsedCredential } from '../../kernel/exchange.ts';
import type { ReplyEvent } from '../../kernel/message.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Upstream } from '../upstream.ts';

/** A response that comes over the connection of its session. */
export interface TurnSource {
  readonly credential: Secret | undefined;
  /** Throws if the session has no connection. */
  events(): AsyncIterable<ReplyEvent>;
}

/** The last handler of a response: it is on its way already. */
export function createTurnUpstream({ credential, events }: TurnSource): Upstream {
  return async (exchange, attempt) => {
    const { trace, clientRequest } = exchange;
    setUsedCredential(exchange, credential);
    trace.providerWire = clientRequest.wire.name;
    const now = performance.now();
    attempt.sentAtMs = now;
    attempt.connectedAtMs = now;
    const reply = Reply.stream(events());
    attempt.headAtMs = now;
    return reply;
  };
}
