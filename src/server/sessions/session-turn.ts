import type { Admission } from '../../calls/admission.ts';
import type { CallRunner } from '../../calls/call-runner.ts';
import { uncountedCall } from '../../calls/caller-admission.ts';
import type { CallerIdentity } from '../../calls/caller-authenticator.ts';
import type { InFlightCall } from '../../calls/in-flight-call.ts';
import { ClientPresence } from '../../kernel/client-presence.ts';
import { ClientRequest } from '../../kernel/client-request.ts';
import { type Exchange, usedCredentialOf } from '../../kernel/exchange.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { ReplyEvent, Usage } from '../../kernel/message.ts';
import type { Handler } from '../../kernel/module.ts';
import type { Pipeline } from '../../kernel/pipeline.ts';
import { withdrawalError } from '../../kernel/reply/ending.ts';
import type { ResponseOutcome, SessionProtocol } from '../../kernel/session-protocol.ts';
import { Trace } from '../../kernel/trace.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { ignoreErrors } from '../../lib/ignore-errors.ts';
import type { Secret } from '../../lib/secret.ts';
import type { TurnSource } from '../../providers/sessions/turn-upstream.ts';
import { TurnEvents } from './turn-events.ts';

export interface TurnParts {
  readonly admission: Pick<Admission, 'admit' | 'prepare'>;
  readonly callRunner: Pick<CallRunner, 'run'>;
  /** The metered upstream of a response. */
  turnUpstream(source: TurnSource): Handler;
  /** A pipeline without modules. */
  readonly noModules: Pipeline;
  requestId(): string;
}

/** What all responses of a session have in common. */
export interface TurnOrigin {
  readonly protocol: SessionProtocol;
  readonly identity: CallerIdentity;
  readonly headers: HeaderList;
  readonly query: string;
  readonly path: string;
  /** The credential of the connection to the provider, once there is one. */
  readonly credential: Secret | undefined;
}

export interface TurnWish {
  readonly model: string;
  /** Models that the settings of the session name. */
  readonly otherModels: readonly string[];
  /** The most that it may read and write. */
  readonly bound: TurnBound;
  /** Its usage if the provider reports none. */
  estimate(): Usage;
}

export interface TurnBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const noFields = LazyJsonObject.of(Buffer.from('{}'));

/**
 * One response of a session: a call of its own, with quota, budget, metering and a row in the log. It is reserved before the
 * provider can begin a response, and waits until one begins.
 */
export class SessionTurn {
  readonly wish: TurnWish;
  readonly #trace = new Trace(performance.now());
  readonly #presence = new ClientPresence();
  readonly #events = new TurnEvents();
  readonly #taken = Promise.withResolvers<void>();
  readonly #reserved = Promise.withResolvers<void>();
  #running: Promise<InFlightCall | undefined> = Promise.resolve(undefined);
  #delivered: Promise<unknown> | undefined;
  #hasContent = false;

  private constructor(wish: TurnWish) {
    this.wish = wish;
    this.#taken.promise.catch(() => undefined);
  }

  /**
   * Resolves when the call is admitted and its worst case is held; rejects if that is refused. `connect` runs before, and its
   * failure is the call's.
   */
  static async reserve(
    parts: TurnParts,
    origin: TurnOrigin,
    wish: TurnWish,
    connect?: (exchange: Exchange) => Promise<void>,
  ): Promise<SessionTurn> {
    const turn = new SessionTurn(wish);
    const call = await parts.admission.admit(
      {
        id: parts.requestId(),
        clientRequest: turn.#clientRequest(origin),
        presence: turn.#presence,
        trace: turn.#trace,
      },
      origin.identity,
    );
    turn.#run(parts, origin, call, connect);
    await turn.#reserved.promise;
    return turn;
  }

  /** For a response that the provider began without a reservation: it is metered and logged, and nothing can refuse it. */
  static async unreserved(parts: TurnParts, origin: TurnOrigin, wish: TurnWish): Promise<SessionTurn> {
    const turn = new SessionTurn(wish);
    const { identity } = origin;
    const { exchange } = await parts.admission.prepare(
      parts.requestId(),
      turn.#clientRequest(origin),
      identity,
    );
    const countedCall = uncountedCall(identity, undefined);
    turn.#run(parts, origin, { exchange, pipeline: parts.noModules, countedCall });
    await turn.#reserved.promise;
    return turn;
  }

  #clientRequest({ protocol, headers, query, path }: TurnOrigin): ClientRequest {
    const { model, otherModels, bound, estimate } = this.wish;
    const route = { ...protocol.route, bound: () => bound, estimate };
    return new ClientRequest({
      ...{ wire: protocol.wire, fields: noFields, headers, query, path },
      relay: { route, model, fields: noFields, bodyBytes: 0, models: otherModels },
    });
  }

  #run(
    { callRunner, turnUpstream }: TurnParts,
    origin: TurnOrigin,
    { exchange, pipeline, countedCall }: Awaited<ReturnType<Admission['admit']>>,
    connect?: (exchange: Exchange) => Promise<void>,
  ): void {
    const running = callRunner.run(exchange, pipeline, countedCall, async (admitted) => {
      try {
        await connect?.(admitted);
      } catch (failure) {
        const fail = () => {
          throw failure;
        };
        return turnUpstream({ credential: usedCredentialOf(admitted), events: fail })(admitted);
      }
      this.#reserved.resolve();
      await this.#taken.promise;
      return turnUpstream({ credential: origin.credential, events: () => this.#events })(admitted);
    });
    this.#running = running.then(
      (inFlightCall) => this.#deliver(inFlightCall),
      (failure) => {
        this.#reserved.reject(failure);
        return undefined;
      },
    );
  }

  /** The messages of the response are relayed already: only its end is awaited. */
  #deliver(inFlightCall: InFlightCall): InFlightCall {
    inFlightCall.headSent(200);
    this.#delivered = ignoreErrors(readAll(inFlightCall));
    return inFlightCall;
  }

  /** A response begins. */
  take(id: string, model?: string): void {
    this.#trace.startedAtMs = performance.now();
    this.#events.push(start(id, model));
    this.#taken.resolve();
  }

  /** The response has content. */
  contentBegan(): void {
    if (this.#hasContent) return;
    this.#hasContent = true;
    this.#events.push({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  }

  end({ usage, stopReason, failure }: ResponseOutcome): void {
    if (failure !== undefined) {
      this.#events.push({ type: 'error', error: failure, ...(usage && { usage }) });
      this.#events.end();
      return;
    }
    this.contentBegan();
    this.#events.push({
      type: 'message_delta',
      delta: { stop_reason: stopReason ?? null },
      ...(usage && { usage }),
    });
    this.#events.push({ type: 'message_stop' });
    this.#events.end();
  }

  /** Resolves when its cost is known. */
  async settled(): Promise<void> {
    await this.#running;
    await this.#delivered;
  }

  /** The response broke off: it costs what it has used so far. */
  async abort(): Promise<void> {
    const inFlightCall = await this.#running;
    inFlightCall?.abort();
    await this.#delivered;
  }

  /** No response began: the call was never made. */
  async withdraw(): Promise<void> {
    this.#taken.reject(withdrawalError());
    this.#presence.leave();
    await this.#running;
  }
}

function start(id: string, model = ''): ReplyEvent {
  const whole = { content: [], stop_reason: null, stop_sequence: null, usage: {} };
  return { type: 'message_start', message: { id, type: 'message', role: 'assistant', model, ...whole } };
}

async function readAll({ reply }: InFlightCall): Promise<void> {
  for await (const _ of reply.events()) {
    // Observers of the reply meter it.
  }
}
