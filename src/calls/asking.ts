import { asideOf, type CredentialFinder, credentialsOf, type Exchange } from '../kernel/exchange.ts';
import type { Answer } from '../kernel/message.ts';
import type { Handler, Question } from '../kernel/module.ts';
import type { Observation } from '../kernel/observation.ts';
import { Outline } from '../kernel/outline.ts';
import { Presence } from '../kernel/presence.ts';
import type { Target } from '../kernel/provider.ts';
import { Received } from '../kernel/received.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';

export interface AskingParts {
  /** In which questions are worded. */
  readonly wire: WireFormat;
  /** Names for questions that are calls of their own. */
  newId(): string;
  /** Runs a call that nobody but the module waits for, and tells of it. */
  alone(exchange: Exchange, upstream: Handler): Promise<Answer>;
}

interface Asked {
  readonly question: Question;
  readonly target: Target;
  readonly observation: Observation;
  /** Past whoever protects the caller, and to the provider. */
  readonly aside: Handler;
}

/**
 * A module's own question to a model, on behalf of its caller. While the call is under way it is an attempt of it; after
 * that it is a call of its own, paid with what is stored, since what came with a request is not kept for later.
 */
export async function ask(parts: AskingParts, asked: Asked): Promise<Answer> {
  const { question, target, observation, aside } = asked;
  const { exchange, module } = observation;
  const { trace } = exchange;
  observation.mayAsk();
  const credentials = credentialsOf(exchange);
  const { isOver } = trace;
  const own = new Trace(performance.now(), isOver ? undefined : trace);
  const put = asideOf(exchange, {
    id: isOver ? parts.newId() : exchange.id,
    received: worded(question, target, parts.wire),
    target,
    // Nobody but the gateway's end keeps work from going on that no client waits for.
    presence: isOver ? new Presence() : exchange.presence,
    trace: own,
    credentials: isOver ? storedOnly(credentials) : credentials,
    asking: { within: undefined, askedBy: module.name, isAside: true },
  });
  if (isOver) return parts.alone(put, aside);
  trace.begins();
  try {
    return await observation.wait(aside(put).then((reply) => reply.answer()));
  } finally {
    trace.awayMs += own.awayMs;
    trace.attemptEnded();
  }
}

function worded(question: Question, { model }: Target, wire: WireFormat): Received {
  const { body } = wire.encodeRequest({ ...question, model });
  return new Received({ wire, fields: Outline.of(body), headers: [], query: '' });
}

function storedOnly(credentials: CredentialFinder): CredentialFinder {
  return { find: (target) => credentials.find(target, 'stored') };
}
