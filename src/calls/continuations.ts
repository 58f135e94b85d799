import { scopeOf } from '../kernel/caller.ts';
import type { Continuation, Turn, TurnStore } from '../kernel/continuation.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { isResolved, type Target, wiresOf } from '../kernel/provider.ts';
import { AnswerBuilder } from '../kernel/reply/answer-events.ts';
import { type Reply, replyOwnership } from '../kernel/reply/reply.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Compactions } from './compactions.ts';
import { limits } from './limits.ts';

/** Stores conversations whose clients refer to earlier answers by id, where the provider does not store them. */
export class Continuations {
  readonly #turns: TurnStore;
  readonly #compactions: Compactions;

  constructor(turnStore: TurnStore, compactions: Compactions) {
    this.#turns = turnStore;
    this.#compactions = compactions;
  }

  /**
   * Runs a pipeline; adds the earlier turns to the request and stores the new turn where the provider does neither. A
   * module may reroute the call, so the provider is known only at the end of the pipeline.
   */
  run(exchange: Exchange, pipeline: Pipeline, upstream: Handler): Promise<Reply> {
    const { wire, fields } = exchange.clientRequest;
    const { continuation } = wire;
    return continuation === undefined || !continuation.isUsed(fields)
      ? pipeline.run(exchange, upstream)
      : this.#runContinued({ exchange, pipeline, upstream, continuation });
  }

  async #runContinued({ exchange, pipeline, upstream, continuation }: ContinuedCall): Promise<Reply> {
    const { wire, fields } = exchange.clientRequest;
    const isKeptBy = (target: Target) => isStoredBy(target, wire);
    const written = async (outgoing: Exchange): Promise<Exchange> => {
      const isKnown =
        isKeptBy(outgoing.target) && !(await this.#isUnknownToProvider(outgoing, pipeline, continuation));
      return isKnown ? outgoing : this.#expandRequest(outgoing, continuation);
    };
    const writtenBehindModules = async (passed: Exchange): Promise<Exchange> => {
      const expanded = await written(passed);
      if (expanded === passed) return passed;
      // The earlier turns have not passed the module that redacts.
      if (pipeline.redacts) throw unredactedHistoryError(exchange);
      return this.#compactions.open(expanded);
    };
    // Parse the body that will be stored now, so that an invalid one is rejected before any attempt.
    if (mayContinueElsewhere(pipeline) && continuation.isContinuable(fields))
      void exchange.clientRequest.body;
    const whole = await written(exchange);
    const { exchange: opened, compaction } = this.#compactions.prepare(whole, exchange);
    const send = compaction === undefined ? upstream : this.#compactions.before(upstream, compaction);
    const last: Handler = async (passed) =>
      send(whole === exchange ? await writtenBehindModules(passed) : passed);
    const answered = replyOwnership.clearHolder(await pipeline.run(opened, last));
    const reply = compaction === undefined ? answered : this.#compactions.seal(answered, whole, compaction);
    exchange.trace.setDelivered(reply);
    const target = exchange.trace.answeredBy ?? exchange.target;
    if (!continuation.isContinuable(fields)) {
      // A WebSocket stores the turn by this id.
      const needsId = exchange.clientRequest.socket !== undefined && !isKeptBy(target);
      return needsId ? renameAnswer(reply, exchange, continuation) : reply;
    }
    const isStoredAtProvider = whole === exchange && continuation.previousIdIn(fields) !== undefined;
    // After edits by modules, the provider's conversation differs from the client's; store the client's here.
    if ((pipeline.mayEdit && !isStoredAtProvider) || !isKeptBy(target))
      return this.#saveTurn(renameAnswer(reply, exchange, continuation), exchange, { continuation });
    // The next turn may go to another provider.
    return pipeline.mayReroute
      ? this.#saveTurn(reply, exchange, { continuation, keptBy: target.provider.name })
      : reply;
  }

  /** Whether the target's provider can't know what the request refers to: the gateway or another provider stores it. */
  async #isUnknownToProvider(
    { caller, clientRequest, target }: Exchange,
    pipeline: Pipeline,
    continuation: Continuation,
  ): Promise<boolean> {
    // What the client calls the conversation is stored here if modules may edit it.
    if (pipeline.mayEdit && continuation.begins(clientRequest.fields)) return true;
    const previous = continuation.previousIdIn(clientRequest.fields);
    const isOurs = previous !== undefined && (mayContinueElsewhere(pipeline) || ownIdPattern.test(previous));
    const quotedIds = continuation.mayQuote(clientRequest.fields)
      ? continuation.quotedIdsIn(continuation.itemsOf(clientRequest.body))
      : [];
    for (const id of isOurs ? [previous, ...quotedIds] : quotedIds) {
      const turn = await this.#turns.find(scopeOf(caller), id);
      // Modules that redact must see earlier turns, in case that the call is rerouted.
      if (turn !== undefined && (pipeline.redacts || turn.keptBy !== target.provider.name)) return true;
    }
    return false;
  }

  /** The request with the whole conversation in it. */
  async #expandRequest(exchange: Exchange, continuation: Continuation): Promise<Exchange> {
    const { caller, clientRequest, isUnmodified, request } = exchange;
    const { wire, body, fields } = clientRequest;
    const newest = continuation.itemsOf(body);
    const previous = continuation.previousIdIn(fields);
    const refersBack = previous !== undefined || continuation.quotedIdsIn(newest).length > 0;
    if (!refersBack && !continuation.begins(fields)) return exchange;
    const scope = scopeOf(caller);
    const turns = previous === undefined ? [] : await this.#turnsUpTo(scope, previous, continuation);
    const history = turns.flatMap((turn) => turn.items);
    const shared = turns[0]?.shared;
    const writeOut = async (items: readonly JsonObject[]) => {
      const written = continuation.withoutOwnIds(await this.#resolve(scope, items, continuation));
      return wire.decodeRequest(continuation.withItems(body, written, shared));
    };
    if (isUnmodified) return exchange.with({ request: await writeOut([...history, ...newest]) });
    // Put the earlier turns before the newest part, which modules may have edited.
    const { messages, extensions = {} } = await writeOut(history);
    return exchange.with({
      request: { ...shared, ...request, messages: [...messages, ...request.messages], extensions },
    });
  }

  /** Whether the gateway stores the answer of a call, as far as that is known before its modules run. */
  isStoredHere({ target, clientRequest }: Exchange, { mayEdit }: Pipeline): boolean {
    return mayEdit || !isStoredBy(target, clientRequest.wire);
  }

  saveTurn(scope: string, id: string, turn: Turn): Promise<void> {
    return this.#turns.save(scope, id, turn);
  }

  findTurn(scope: string, id: string): Promise<Turn | undefined> {
    return this.#turns.find(scope, id);
  }

  deleteTurn(scope: string, id: string): Promise<void> {
    return this.#turns.delete(scope, id);
  }

  /** The items that an answer was made from, those of earlier turns included. */
  async inputOf(scope: string, id: string, continuation: Continuation): Promise<readonly JsonObject[]> {
    const turns = await this.#turnsUpTo(scope, id, continuation);
    const items = turns.flatMap((turn) => turn.items);
    return this.#resolve(
      scope,
      items.slice(0, items.length - (turns.at(-1)?.outputCount ?? 0)),
      continuation,
    );
  }

  async #resolve(
    scope: string,
    items: readonly JsonObject[],
    continuation: Continuation,
  ): Promise<readonly JsonObject[]> {
    const quoted = await Promise.all(
      continuation.quotedIdsIn(items).map((id) => this.#turns.find(scope, id)),
    );
    return continuation.resolve(
      items,
      quoted.flatMap((turn) => turn?.items ?? []),
    );
  }

  /** The turns of a conversation up to an answer. */
  async #turnsUpTo(scope: string, last: string, continuation: Continuation): Promise<readonly Turn[]> {
    const turns: Turn[] = [];
    for (let next: string | undefined = last; next !== undefined; next = turns.at(-1)?.previous) {
      const turn = turns.length < limits.turnsMax ? await this.#turns.find(scope, next) : undefined;
      if (turn === undefined) throw continuation.notFoundError(last);
      if (turn.isPending === true && next === last) throw pendingAnswerError(last);
      turns.push(turn);
    }
    return turns.reverse();
  }

  #saveTurn(
    reply: Reply,
    { caller, clientRequest, trace: { dropped } }: Exchange,
    { continuation, keptBy }: SaveTurnOptions,
  ): Reply {
    const answerBuilder = new AnswerBuilder();
    let keeping: Promise<void> | undefined;
    return reply
      .tap((event) => {
        answerBuilder.push(event);
        const answer = event.type === 'message_stop' ? answerBuilder.answer() : undefined;
        if (answer === undefined) return;
        // Save at once: the client may continue as soon as it has seen the end.
        const { id, turn } = continuation.turnOf(clientRequest.body, answer);
        // The provider that stores the answer serves it, too.
        const { answer: _, outputCount: __, ...bare } = turn;
        keeping = this.#turns.save(
          scopeOf(caller),
          id,
          keptBy === undefined ? { ...turn, ...(dropped.length > 0 && { dropped }) } : { ...bare, keptBy },
        );
        // `onEnd` awaits the promise and reports a failure.
        keeping.catch(() => undefined);
      })
      .onEnd(() => keeping);
  }
}

/** The provider of an unresolved target is known behind the modules. */
function isStoredBy(target: Target, wire: WireFormat): boolean {
  return (
    !isResolved(target) ||
    (target.provider.answerLocally === undefined &&
      wiresOf(target).includes(wire) &&
      wire.continuation?.isStoredBy(target.provider) === true)
  );
}

function pendingAnswerError(id: string): GatewayError {
  return new GatewayError('invalid_request', `the response '${id}' is not complete yet`);
}

interface SaveTurnOptions {
  readonly continuation: Continuation;
  /** The provider that stores the answer, too. */
  readonly keptBy?: string;
}

/** Whether the next turn may go to another provider, or continue an edited conversation. */
function mayContinueElsewhere({ mayReroute, mayEdit }: Pipeline): boolean {
  return mayReroute || mayEdit;
}

/** Ids that the gateway gave to answers end with the id of their call. */
const ownIdPattern = /_[0-9a-f]{32}$/;

interface ContinuedCall {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
  readonly upstream: Handler;
  readonly continuation: Continuation;
}

function unredactedHistoryError({ target: { model } }: Exchange): GatewayError {
  return new GatewayError(
    'blocked_by_module',
    `the earlier turns of this conversation are stored for ${model}, and would reach another model unredacted; send the whole conversation, or stay with ${model}`,
    { detail: 'unredacted history' },
  );
}

/** Uses the call's id: not all providers give answers unique ids. */
function renameAnswer(reply: Reply, { id: callId }: Exchange, continuation: Continuation): Reply {
  const id = continuation.answerIdOf(callId.slice(callId.indexOf('_') + 1));
  return reply.map((event) =>
    event.type === 'message_start' ? { ...event, message: { ...event.message, id } } : event,
  );
}
