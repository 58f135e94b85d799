import { scopeOf } from '../kernel/caller.ts';
import type { BackgroundMode, Turn } from '../kernel/continuation.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Log } from '../telemetry/log.ts';
import type { CallRunner } from './call-runner.ts';
import type { CountedCall } from './caller-admission.ts';
import type { Continuations } from './continuations.ts';
import { limits } from './limits.ts';

interface BackgroundAnswersParts {
  readonly continuations: Pick<Continuations, 'isStoredHere' | 'findTurn' | 'saveTurn' | 'deleteTurn'>;
  readonly callRunner: Pick<CallRunner, 'run'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
}

interface AdmittedCall {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
  readonly countedCall: CountedCall;
}

/** An answer that is being made in this process. */
interface Run {
  readonly scope: string;
  readonly id: string;
  readonly exchange: Exchange;
  isCancelled: boolean;
  readonly ended: Promise<void>;
}

/**
 * Makes answers in the background where the provider can't: the client leaves, and reads the answer later from any
 * replica. The process has a lease for each answer: an unfinished answer whose lease has expired counts as failed.
 */
export class BackgroundAnswers {
  readonly #parts: BackgroundAnswersParts;
  readonly #runs = new Map<string, Run>();

  constructor(parts: BackgroundAnswersParts) {
    this.#parts = parts;
  }

  /** Whether a call asks for the background, and its provider can't do that. */
  accepts({ exchange, pipeline }: AdmittedCall): boolean {
    const { wire, fields } = exchange.clientRequest;
    return (
      wire.continuation?.background?.isRequested(fields) === true &&
      this.#parts.continuations.isStoredHere(exchange, pipeline)
    );
  }

  /** Starts the call and returns its answer so far. `release` runs when the call has ended. */
  async start(call: AdmittedCall, release: () => void): Promise<JsonObject> {
    const { exchange, countedCall } = call;
    try {
      const { clientRequest, caller } = exchange;
      const background = clientRequest.wire.continuation?.background;
      if (background === undefined) throw new Error('this format has no background mode');
      background.check(clientRequest.fields);
      const scope = scopeOf(caller);
      this.#checkRoom(scope);
      const begun = background.begin(clientRequest.body, {
        name: exchange.id.slice(exchange.id.indexOf('_') + 1),
        model: exchange.target.model,
      });
      const { id } = begun;
      await this.#renewLease(scope, id);
      await this.#parts.continuations.saveTurn(scope, id, { ...begun.turn('in_progress'), isPending: true });
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const run: Run = { scope, id, exchange, isCancelled: false, ended };
      this.#runs.set(keyOf(scope, id), run);
      void this.#run(call, run, begun).finally(() => {
        this.#runs.delete(keyOf(scope, id));
        release();
        resolve();
      });
      return begun.queued;
    } catch (error) {
      countedCall.release();
      exchange.trace.end();
      release();
      throw error;
    }
  }

  /** The turn with the state of its answer as of now. */
  async stateOf(scope: string, id: string, turn: Turn): Promise<Turn> {
    if (turn.isPending !== true) return turn;
    const { continuations, clock } = this.#parts;
    const [lease, cancelled] = await Promise.all([
      continuations.findTurn(scope, leaseKeyOf(id)),
      continuations.findTurn(scope, cancelKeyOf(id)),
    ]);
    const isPending = (lease?.leasedUntilMs ?? 0) > clock.now();
    if (cancelled !== undefined) return { ...withStatus(turn, 'cancelled'), isPending };
    if (isPending) return turn;
    const error = { code: 'server_error', message: 'The gateway stopped while it made this response.' };
    return { ...withStatus(turn, 'failed', error), isPending };
  }

  /** Cancels an answer that is being made, on this replica or another. */
  async cancel(scope: string, id: string, turn: Turn): Promise<Turn> {
    const current = await this.stateOf(scope, id, turn);
    if (current.isPending !== true) return current;
    await this.#parts.continuations.saveTurn(scope, cancelKeyOf(id), { items: [] });
    cancelRun(this.#runs.get(keyOf(scope, id)));
    return withStatus(turn, 'cancelled');
  }

  /** Aborts all answers, which then count as failed. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const { exchange } of runs) exchange.presence.leave();
    await Promise.all(runs.map(({ ended }) => ended));
  }

  async #run(
    { exchange, pipeline, countedCall }: AdmittedCall,
    run: Run,
    begun: ReturnType<BackgroundMode['begin']>,
  ): Promise<void> {
    const { continuations, callRunner, log } = this.#parts;
    const { scope, id } = run;
    const timer = setInterval(() => {
      this.#beat(run).catch((err: unknown) =>
        log.error({ id, err }, 'the lease of a background answer was not renewed'),
      );
    }, limits.backgroundBeatMs);
    try {
      try {
        // The complete turn is stored by the continuation.
        const { reply } = await callRunner.run(exchange, pipeline, countedCall);
        await reply.answer();
      } catch (error) {
        const ending = run.isCancelled ? begun.turn('cancelled') : begun.turn('failed', error);
        await continuations.saveTurn(scope, id, ending);
      }
      // Nothing remains of an account that was erased meanwhile.
      if ((await continuations.findTurn(scope, leaseKeyOf(id))) === undefined)
        await continuations.deleteTurn(scope, id);
      await Promise.all([leaseKeyOf(id), cancelKeyOf(id)].map((key) => continuations.deleteTurn(scope, key)));
    } catch (err) {
      log.error({ id, err }, 'the end of a background answer was not stored');
    } finally {
      clearInterval(timer);
    }
  }

  async #beat(run: Run): Promise<void> {
    const { continuations } = this.#parts;
    const { scope, id } = run;
    const [pending, cancelled] = await Promise.all(
      [id, cancelKeyOf(id)].map((key) => continuations.findTurn(scope, key)),
    );
    // Without the turn, the account was erased.
    if (pending === undefined || cancelled !== undefined) cancelRun(run);
    if (pending !== undefined) await this.#renewLease(scope, id);
  }

  async #renewLease(scope: string, id: string): Promise<void> {
    const { continuations, clock } = this.#parts;
    const leasedUntilMs = clock.now() + limits.backgroundLeaseMs;
    await continuations.saveTurn(scope, leaseKeyOf(id), { items: [], leasedUntilMs });
  }

  #checkRoom(scope: string): void {
    const running = [...this.#runs.values()].filter((run) => run.scope === scope);
    if (running.length >= limits.backgroundAnswersMax)
      throw new GatewayError(
        'concurrency_limit',
        `at most ${limits.backgroundAnswersMax} responses of an account are made in the background at a time`,
        { retryAfterSeconds: 10 },
      );
  }
}

function cancelRun(run: Run | undefined): void {
  if (run === undefined) return;
  run.isCancelled = true;
  run.exchange.presence.leave();
}

function withStatus(turn: Turn, status: string, error: JsonObject | null = null): Turn {
  return { ...turn, answer: { ...turn.answer, status, error } };
}

function keyOf(scope: string, id: string): string {
  return `${scope}\n${id}`;
}

/** Not in the form of an id, so that no client can name them. */
function leaseKeyOf(id: string): string {
  return `${id}/lease`;
}

function cancelKeyOf(id: string): string {
  return `${id}/cancelled`;
}
