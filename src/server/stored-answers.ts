import type { BackgroundAnswers } from '../calls/background-answers.ts';
import type { CallerAuthenticator } from '../calls/caller-authenticator.ts';
import type { Continuations } from '../calls/continuations.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { scopeOf } from '../kernel/caller.ts';
import type { Turn } from '../kernel/continuation.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type RelayRoute, wildcardIn } from '../kernel/relay.ts';
import type { Log } from '../telemetry/log.ts';
import { inputItemPage, openaiResponses, storedResponseOf, streamStoredResponse } from '../wire/index.ts';
import { rejectCall } from './reject-call.ts';
import type { RelayContext, RelayHandler } from './relay.ts';
import { sendResponse } from './respond.ts';

export interface StoredAnswerParts {
  readonly callers: CallerAuthenticator;
  readonly continuations: Continuations;
  readonly backgroundAnswers: BackgroundAnswers;
  readonly relay: RelayHandler;
  readonly log: Log;
}

/** Serves the answers that the gateway stores; relays calls about all others to their provider. */
export class StoredAnswerHandler {
  readonly #parts: StoredAnswerParts;

  constructor(parts: StoredAnswerParts) {
    this.#parts = parts;
  }

  async handle(req: HttpRequest, res: HttpResponse, relayContext: RelayContext): Promise<void> {
    const { callers, continuations, backgroundAnswers, relay, log } = this.#parts;
    const { context, wire, route } = relayContext;
    try {
      const { caller, accountId, key } = await callers.identifyCurrent(req.headers, context.clientAddress);
      context.accountId = accountId;
      context.keyId = key?.keyId;
      const scope = scopeOf(caller);
      const id = wildcardIn(route, context.path);
      const stored = await continuations.findTurn(scope, id);
      if (stored?.answer === undefined) {
        if (stored === undefined && ownResponsePattern.test(id)) throw answerNotFoundError(id);
        const defaultProvider = stored?.keptBy ?? route.defaultProvider ?? '';
        await relay.handle(req, res, { ...relayContext, route: { ...route, defaultProvider } });
        return;
      }
      const turn = await backgroundAnswers.stateOf(scope, id, stored);
      const answer = await this.#answer({
        scope,
        id,
        turn,
        route,
        query: new URLSearchParams(context.query),
      });
      const type = typeof answer === 'string' ? 'text/event-stream; charset=utf-8' : 'application/json';
      const bytes = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
      const headers = ['content-type', type];
      if (turn.dropped !== undefined) headers.push('x-weir-dropped', turn.dropped.join(', '));
      sendResponse(res, { status: 200, headers, bytes }, context);
    } catch (thrown) {
      rejectCall(thrown, { res, context, wire, log });
    }
  }

  /** A string is a stream. */
  async #answer({ scope, id, turn, route, query }: StoredAnswerRequest): Promise<object | string> {
    const { continuations, backgroundAnswers } = this.#parts;
    switch (route.storedAnswer) {
      case 'delete':
        if (turn.isPending === true) throw pendingError();
        await continuations.deleteTurn(scope, id);
        return route.encodeStored === undefined ? { id, object: 'response', deleted: true } : {};
      case 'listInput': {
        const { continuation } = openaiResponses;
        if (continuation === undefined) throw new Error('Responses has a continuation');
        return inputItemPage(await continuations.inputOf(scope, id, continuation), id, query);
      }
      case 'cancel': {
        if (turn.isPending !== true && turn.answer?.background !== true)
          throw new GatewayError('invalid_request', 'Cannot cancel a synchronous response.');
        const cancelled = await backgroundAnswers.cancel(scope, id, turn);
        return route.encodeStored?.(cancelled, query) ?? storedResponseOf(cancelled) ?? {};
      }
      default: {
        if (query.get('stream') === 'true' && turn.isPending === true) throw pendingError();
        if (route.encodeStored !== undefined) return route.encodeStored(turn, query);
        const response = storedResponseOf(turn) ?? {};
        return query.get('stream') === 'true'
          ? streamStoredResponse(response, query.get('starting_after'))
          : response;
      }
    }
  }
}

interface StoredAnswerRequest {
  readonly scope: string;
  readonly id: string;
  readonly turn: Turn;
  readonly route: RelayRoute;
  readonly query: URLSearchParams;
}

function pendingError(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'the response is still being made; wait for its end or cancel it',
  );
}

/** Ids of answers that the gateway stores. */
const ownResponsePattern = /^(?:resp|interaction)_[0-9a-f]{32}$/;

function answerNotFoundError(id: string): GatewayError {
  return new GatewayError('not_found', `Response with id '${id}' not found.`);
}
