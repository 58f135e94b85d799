import { scopeOf } from '../kernel/caller.ts';
import type { Continuation, Turn, TurnStore } from '../kernel/continuation.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { limits } from '../kernel/limits.ts';
import type { Handler } from '../kernel/module.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { type Target, wiresOf } from '../kernel/provider.ts';
import { AnswerBuilder } from '../kernel/reply/answer-events.ts';
import { type Reply, replyOwnership } from '../kernel/reply/reply.ts';

/** Conversations whose clients name earlier answers, kept here where the provider that answers keeps none. */
export class Continuations {
  readonly #turns: TurnStore;

  constructor(turnStore: TurnStore) {
    this.#turns = turnStore;
  }

  /**
   * Runs a pipeline with the earlier turns in the request and the new one kept, each where its provider doesn't do
   * that. A module may send the call to another provider than the one it was meant for, so that this is known last.
   */
  run(exchange: Exchange, pipeline: Pipeline, upstream: Handler): Promise<Reply> {
    const { continuation } = exchange.clientRequest.wire;
    return continuation === undefined
      ? pipeline.run(exchange, upstream)
      : this.#runContinued({ exchange, pipeline, upstream, continuation });
  }

  async #runContinued({ exchange, pipeline, upstream, continuation }: ContinuedCall): Promise<Reply> {
    const { wire, fields } = exchange.clientRequest;
    const isKeptBy = ({ provider, model }: Target) =>
      provider.answerLocally === undefined && wiresOf({ provider, model }).includes(wire);
    const written = async (asked: Exchange): Promise<Exchange> => {
      const isKnownThere =
        isKeptBy(asked.target) && !(await this.#isStoredElsewhere(asked, pipeline, continuation));
      return isKnownThere ? asked : this.#expandRequest(asked, continuation);
    };
    // What is kept is read, and what can't be is refused before anybody is asked.
    if (mayContinueElsewhere(pipeline) && continuation.isContinuable(fields))
      void exchange.clientRequest.body;
    const whole = await written(exchange);
    const last: Handler = async (passed) => upstream(whole === exchange ? await written(passed) : passed);
    const reply = replyOwnership.clearHolder(await pipeline.run(whole, last));
    exchange.trace.setDelivered(reply);
    if (!continuation.isContinuable(fields)) return reply;
    const { provider, model } = exchange.trace.answeredBy ?? exchange.target;
    const liesThere = whole === exchange && continuation.previousIdIn(fields) !== undefined;
    // What modules made of a conversation isn't what the client has seen of it, which goes on from here.
    if ((pipeline.mayEdit && !liesThere) || !isKeptBy({ provider, model }))
      return this.#saveTurn(renameAnswer(reply, exchange), exchange, { continuation });
    // The next turn may go elsewhere.
    return pipeline.mayReroute
      ? this.#saveTurn(reply, exchange, { continuation, keptBy: provider.name })
      : reply;
  }

  /** Whether a provider that keeps answers by name can't know this one: it is ours, or another's. */
  async #isStoredElsewhere(
    { caller, clientRequest, target }: Exchange,
    pipeline: Pipeline,
    continuation: Continuation,
  ): Promise<boolean> {
    const previous = continuation.previousIdIn(clientRequest.fields);
    if (previous === undefined || !(mayContinueElsewhere(pipeline) || ownIdPattern.test(previous)))
      return false;
    const turn = await this.#turns.find(scopeOf(caller), previous);
    return turn !== undefined && turn.keptBy !== target.provider.name;
  }

  /** The request as a client would send it that sends everything. */
  async #expandRequest(exchange: Exchange, continuation: Continuation): Promise<Exchange> {
    const { caller, clientRequest, isUnmodified, request } = exchange;
    const { previous, quotedIds } = continuation.referencesIn(clientRequest.body);
    if (previous === undefined && quotedIds.length === 0) return exchange;
    const scope = scopeOf(caller);
    const turns: Turn[] = [];
    for (let next = previous; next !== undefined; next = turns.at(-1)?.previous) {
      const turn = turns.length < limits.turnsMax ? await this.#turns.find(scope, next) : undefined;
      if (turn === undefined) throw continuation.notFoundError(previous ?? next);
      turns.push(turn);
    }
    const history = turns.reverse().flatMap((turn) => turn.items);
    const others = await Promise.all(quotedIds.map((id) => this.#turns.find(scope, id)));
    const items = others.flatMap((turn) => turn?.items ?? []);
    const { wire, body } = clientRequest;
    if (isUnmodified)
      return exchange.with({
        request: wire.decodeRequest(continuation.expandRequest(body, history, items)),
      });
    // What modules made of the newest part stays, behind what came before it.
    const { messages, extensions = {} } = wire.decodeRequest(continuation.historyRequest(body, history));
    return exchange.with({
      request: { ...request, messages: [...messages, ...request.messages], extensions },
    });
  }

  #saveTurn(
    reply: Reply,
    { caller, clientRequest }: Exchange,
    { continuation, keptBy }: SaveTurnOptions,
  ): Reply {
    const answerBuilder = new AnswerBuilder();
    let keeping: Promise<void> | undefined;
    return reply
      .tap((event) => {
        answerBuilder.push(event);
        const answer = event.type === 'message_stop' ? answerBuilder.answer() : undefined;
        if (answer === undefined) return;
        // Right away: once the client has seen the end, it may go on from it.
        const { id, turn } = continuation.turnOf(clientRequest.body, answer);
        keeping = this.#turns.save(scopeOf(caller), id, keptBy === undefined ? turn : { ...turn, keptBy });
        // Waited for at the end, where a failure is told.
        keeping.catch(() => undefined);
      })
      .onEnd(() => keeping);
  }
}

interface SaveTurnOptions {
  readonly continuation: Continuation;
  /** Who knows the answer by its name, too. */
  readonly keptBy?: string;
}

/** Whether the next turn may find its conversation with another provider, or as another one. */
function mayContinueElsewhere({ mayReroute, mayEdit }: Pipeline): boolean {
  return mayReroute || mayEdit;
}

/** Answers that were renamed here have the name of their call. */
const ownIdPattern = /_[0-9a-f]{32}$/;

interface ContinuedCall {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
  readonly upstream: Handler;
  readonly continuation: Continuation;
}

/** Under the call's own name: providers don't all give answers a name that no other answer has. */
function renameAnswer(reply: Reply, { id }: Exchange): Reply {
  const name = id.slice(id.indexOf('_') + 1);
  return reply.map((event) =>
    event.type === 'message_start' ? { ...event, message: { ...event.message, id: name } } : event,
  );
}
