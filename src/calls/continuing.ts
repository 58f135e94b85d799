import type { Continuation, Turn, Turns } from '../kernel/continuation.ts';
import { type Exchange, scopeOf } from '../kernel/exchange.ts';
import { limits } from '../kernel/limits.ts';
import type { ChatRequest } from '../kernel/message.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { wiresOf } from '../kernel/provider.ts';
import { Folding } from '../kernel/reply/answer.ts';
import type { Reply } from '../kernel/reply/reply.ts';

/** Conversations whose clients name earlier answers, kept here where the provider that answers keeps none. */
export class Continuing {
  readonly #turns: Turns;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** The pipeline of a call: itself, or with the earlier turns put before it and the new one kept behind it. */
  around(pipeline: Pipeline, { received, target }: Exchange): Pipeline {
    const { continuation } = received.wire;
    if (continuation === undefined) return pipeline;
    const keptThere = target.provider.local === undefined && wiresOf(target).includes(received.wire);
    if (keptThere) return pipeline;
    return {
      ...pipeline,
      run: async (exchange, upstream) => {
        const request = await this.#writtenOut(exchange, continuation);
        const whole = request === undefined ? exchange : exchange.with({ request });
        const reply = await pipeline.run(whole, upstream);
        return continuation.keeps(received.body) ? this.#kept(reply, exchange, continuation) : reply;
      },
    };
  }

  /** The request as a client would send it that sends everything; undefined where it does. */
  async #writtenOut(
    { caller, received }: Exchange,
    continuation: Continuation,
  ): Promise<ChatRequest | undefined> {
    const { previous, quoted } = continuation.namedIn(received.body);
    if (previous === undefined && quoted.length === 0) return undefined;
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
    return received.wire.decodeRequest(continuation.writtenOut(received.body, history, items));
  }

  /** Under the call's own name: providers don't all give answers a name that no other answer has. */
  #kept(reply: Reply, { id, caller, received }: Exchange, continuation: Continuation): Reply {
    const name = id.slice(id.indexOf('_') + 1);
    const folding = new Folding();
    let keeping: Promise<void> | undefined;
    return reply
      .map((event) =>
        event.type === 'message_start' ? { ...event, message: { ...event.message, id: name } } : event,
      )
      .tap((event) => {
        folding.push(event);
        const answer = event.type === 'message_stop' ? folding.answer() : undefined;
        if (answer === undefined) return;
        // Right away: once the client has seen the end, it may go on from it.
        const { id: answerId, turn } = continuation.turnOf(received.body, answer);
        keeping = this.#turns.keep(scopeOf(caller), answerId, turn);
      })
      .onEnd(() => keeping);
  }
}
