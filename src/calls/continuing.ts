import { scopeOf } from '../kernel/caller.ts';
import type { Continuation, Turn, Turns } from '../kernel/continuation.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { limits } from '../kernel/limits.ts';
import type { Handler } from '../kernel/module.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { type Target, wiresOf } from '../kernel/provider.ts';
import { Folding } from '../kernel/reply/answer.ts';
import { custody, type Reply } from '../kernel/reply/reply.ts';

/** Conversations whose clients name earlier answers, kept here where the provider that answers keeps none. */
export class Continuing {
  readonly #turns: Turns;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /**
   * Runs a pipeline with the earlier turns in the request and the new one kept, each where its provider doesn't do
   * that. A module may send the call to another provider than the one it was meant for, so that this is known last.
   */
  run(exchange: Exchange, pipeline: Pipeline, upstream: Handler): Promise<Reply> {
    const { continuation } = exchange.received.wire;
    return continuation === undefined
      ? pipeline.run(exchange, upstream)
      : this.#continued({ exchange, pipeline, upstream, continuation });
  }

  async #continued({ exchange, pipeline, upstream, continuation }: Continued): Promise<Reply> {
    const { wire, fields } = exchange.received;
    const isKeptBy = ({ provider, model }: Target) =>
      provider.local === undefined && wiresOf({ provider, model }).includes(wire);
    const written = async (asked: Exchange): Promise<Exchange> => {
      const isKnownThere =
        isKeptBy(asked.target) && !(await this.#isElsewhere(asked, pipeline, continuation));
      return isKnownThere ? asked : this.#writtenOut(asked, continuation);
    };
    // What is kept is read, and what can't be is refused before anybody is asked.
    if (mayGoElsewhere(pipeline) && continuation.keeps(fields)) void exchange.received.body;
    const whole = await written(exchange);
    const last: Handler = async (passed) => upstream(whole === exchange ? await written(passed) : passed);
    const reply = custody.release(await pipeline.run(whole, last));
    exchange.trace.delivers(reply);
    if (!continuation.keeps(fields)) return reply;
    const { provider, model } = exchange.trace.answeredBy ?? exchange.target;
    const liesThere = whole === exchange && continuation.previousIn(fields) !== undefined;
    // What modules made of a conversation isn't what the client has seen of it, which goes on from here.
    if ((pipeline.mayEdit && !liesThere) || !isKeptBy({ provider, model }))
      return this.#kept(renamed(reply, exchange), exchange, { continuation });
    // The next turn may go elsewhere.
    return pipeline.mayMove ? this.#kept(reply, exchange, { continuation, keptBy: provider.name }) : reply;
  }

  /** Whether a provider that keeps answers by name can't know this one: it is ours, or another's. */
  async #isElsewhere(
    { caller, received, target }: Exchange,
    pipeline: Pipeline,
    continuation: Continuation,
  ): Promise<boolean> {
    const previous = continuation.previousIn(received.fields);
    if (previous === undefined || !(mayGoElsewhere(pipeline) || ourName.test(previous))) return false;
    const turn = await this.#turns.recall(scopeOf(caller), previous);
    return turn !== undefined && turn.keptBy !== target.provider.name;
  }

  /** The request as a client would send it that sends everything. */
  async #writtenOut(exchange: Exchange, continuation: Continuation): Promise<Exchange> {
    const { caller, received, untouched, request } = exchange;
    const { previous, quoted } = continuation.namedIn(received.body);
    if (previous === undefined && quoted.length === 0) return exchange;
    const scope = scopeOf(caller);
    const turns: Turn[] = [];
    for (let next = previous; next !== undefined; next = turns.at(-1)?.previous) {
      const turn = turns.length < limits.turnsMax ? await this.#turns.recall(scope, next) : undefined;
      if (turn === undefined) throw continuation.missing(previous ?? next);
      turns.push(turn);
    }
    const history = turns.reverse().flatMap((turn) => turn.items);
    const others = await Promise.all(quoted.map((id) => this.#turns.recall(scope, id)));
    const items = others.flatMap((turn) => turn?.items ?? []);
    const { wire, body } = received;
    if (untouched)
      return exchange.with({
        request: wire.decodeRequest(continuation.writtenOut(body, history, items)),
      });
    // What modules made of the newest part stays, behind what came before it.
    const { messages, extensions = {} } = wire.decodeRequest(continuation.before(body, history));
    return exchange.with({
      request: { ...request, messages: [...messages, ...request.messages], extensions },
    });
  }

  #kept(reply: Reply, { caller, received }: Exchange, { continuation, keptBy }: Keeping): Reply {
    const folding = new Folding();
    let keeping: Promise<void> | undefined;
    return reply
      .tap((event) => {
        folding.push(event);
        const answer = event.type === 'message_stop' ? folding.answer() : undefined;
        if (answer === undefined) return;
        // Right away: once the client has seen the end, it may go on from it.
        const { id, turn } = continuation.turnOf(received.body, answer);
        keeping = this.#turns.keep(scopeOf(caller), id, keptBy === undefined ? turn : { ...turn, keptBy });
        // Waited for at the end, where a failure is told.
        keeping.catch(() => undefined);
      })
      .onEnd(() => keeping);
  }
}

interface Keeping {
  readonly continuation: Continuation;
  /** Who knows the answer by its name, too. */
  readonly keptBy?: string;
}

/** Whether the next turn may find its conversation with another provider, or as another one. */
function mayGoElsewhere({ mayMove, mayEdit }: Pipeline): boolean {
  return mayMove || mayEdit;
}

/** Answers that were renamed here have the name of their call. */
const ourName = /_[0-9a-f]{32}$/;

interface Continued {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
  readonly upstream: Handler;
  readonly continuation: Continuation;
}

/** Under the call's own name: providers don't all give answers a name that no other answer has. */
function renamed(reply: Reply, { id }: Exchange): Reply {
  const name = id.slice(id.indexOf('_') + 1);
  return reply.map((event) =>
    event.type === 'message_start' ? { ...event, message: { ...event.message, id: name } } : event,
  );
}
