import { setTimeout as sleep } from 'node:timers/promises';
import type { CallFiles, OwnBatch, OwnBatches, OwnBatchLines } from '../../kernel/ports/own-batches.ts';
import type { Clock } from '../../lib/clock.ts';
import { failedLine, resultLine } from '../../wire/openai/own-batches.ts';
import { limits } from '../limits.ts';
import { type CallLine, readCallLine } from './call-lines.ts';
import { type LineAnswer, retryAfterMs } from './line-outcome.ts';
import { openLine, type Sealing, sealLine } from './line-sealing.ts';
import { type OwnBatchMaker, openMaker } from './own-batch-maker.ts';
import type { Permits } from './permits.ts';

export interface OwnBatchRunParts {
  readonly files: Pick<CallFiles, 'lines'>;
  readonly batches: Pick<OwnBatches, 'find' | 'end'>;
  readonly lines: Pick<
    OwnBatchLines,
    'nextLine' | 'claim' | 'postpone' | 'finish' | 'claimed' | 'unfinished' | 'fill'
  >;
  readonly sealing: Sealing;
  readonly clock: Clock;
  /** Of the process. */
  readonly holder: string;
  readonly permits: Permits;
  /** The most calls of a batch that begin in a minute; undefined for any number. */
  readonly callsPerMinute: number | undefined;
  /** Makes a call of a batch like any other call of who made the batch. */
  call(line: CallLine, maker: OwnBatchMaker): Promise<LineAnswer>;
  /** Makes the results of a batch known. */
  publish(batch: OwnBatch, maker: OwnBatchMaker): Promise<void>;
}

/** A batch that this process runs while it has the lease. */
export class OwnBatchRun {
  readonly #parts: OwnBatchRunParts;
  readonly #underWay = new Set<Promise<void>>();
  /** Wakes the run when something has changed. */
  #change = Promise.withResolvers<void>();
  #batch: OwnBatch;
  #hasLease = true;
  #isStopping = false;
  /** No call begins before: a provider asked for it, or there were enough in this minute. */
  #pausedUntilMs = 0;

  constructor(batch: OwnBatch, parts: OwnBatchRunParts) {
    this.#batch = batch;
    this.#parts = parts;
  }

  get id(): string {
    return this.#batch.id;
  }

  /** The newest state of the batch; undefined once another process has it. */
  update(batch: OwnBatch | undefined): void {
    if (batch === undefined) this.#hasLease = false;
    else this.#batch = batch;
    this.#wake();
  }

  /** Begins no further call, and leaves the batch to another process. */
  stop(): void {
    this.#isStopping = true;
    this.#wake();
  }

  /** Resolves when the batch has ended, or is left to another process. */
  async run(): Promise<void> {
    const maker = openMaker(this.#parts.sealing, this.#batch);
    await this.#settleLost();
    await this.#sendAll(maker);
    await Promise.all(this.#underWay);
    if (this.#goesOn) await this.#end(maker);
  }

  get #goesOn(): boolean {
    return this.#hasLease && !this.#isStopping;
  }

  /** What an earlier process has sent and not ended: nobody knows whether it was answered, so it is not sent again. */
  async #settleLost(): Promise<void> {
    const { lines } = this.#parts;
    for (const number of await lines.claimed(this.id))
      await this.#fail(number, 'answer_unknown', unknownAnswerText);
  }

  async #sendAll(maker: OwnBatchMaker): Promise<void> {
    const { lines, clock, permits, holder, callsPerMinute } = this.#parts;
    while (this.#goesOn) {
      const nowMs = clock.now();
      if (this.#batch.state !== 'in_progress' || nowMs >= this.#batch.expiresAtMs) break;
      // Before the query: a call that ends during it may have been postponed.
      const wasIdle = this.#underWay.size === 0;
      const next = await lines.nextLine(this.#batch, nowMs);
      if (next === undefined) {
        if (wasIdle) break;
        if (this.#underWay.size > 0) await this.#wait(limits.ownBatchBeatMs);
        continue;
      }
      const dueAtMs = Math.max(this.#pausedUntilMs, 'dueAtMs' in next ? next.dueAtMs : nowMs);
      if ('dueAtMs' in next || dueAtMs > nowMs) {
        await this.#wait(Math.min(dueAtMs, this.#batch.expiresAtMs) - nowMs);
        continue;
      }
      const giveBack = await permits.take();
      const isMine = this.#goesOn && (await lines.claim(this.#batch, next.number, holder));
      if (!isMine) {
        giveBack();
        // The batch was cancelled or taken over, as the next renewal of the lease shows.
        if (this.#goesOn) await this.#wait(limits.ownBatchBeatMs);
        continue;
      }
      if (callsPerMinute !== undefined) this.#pause(60_000 / callsPerMinute);
      this.#track(this.#send(next.number, next.attempts + 1, maker).finally(giveBack));
    }
  }

  #track(sending: Promise<void>): void {
    const tracked = sending.finally(() => {
      this.#underWay.delete(tracked);
      this.#wake();
    });
    // The failure is reported where all are awaited.
    tracked.catch(() => undefined);
    this.#underWay.add(tracked);
  }

  async #send(number: number, attempts: number, maker: OwnBatchMaker): Promise<void> {
    const { lines, clock, call } = this.#parts;
    const line = await this.#line(number);
    const answer = await call(line, maker);
    const afterMs = retryAfterMs(answer, attempts);
    if (afterMs !== undefined) {
      // Others of the batch would probably get the same.
      this.#pause(answer.failure?.details.retryAfterSeconds === undefined ? 0 : afterMs);
      await lines.postpone(this.#batch, number, clock.now() + afterMs);
      return;
    }
    if (!answer.isComplete) {
      await this.#fail(number, 'answer_unknown', unknownAnswerText);
      return;
    }
    const content = resultLine({ batchId: this.id, number, customId: line.customId, ...answer });
    await this.#finish(number, content, answer.status < firstError, answer.costNanoUsd);
  }

  async #line(number: number): Promise<CallLine> {
    const { files, sealing } = this.#parts;
    const { fileId } = this.#batch;
    const [line] = await files.lines(fileId, number, 1);
    if (line?.number !== number) throw new Error(`the file of batch ${this.id} has no line ${number}`);
    return readCallLine(openLine(sealing, fileId, line));
  }

  async #fail(number: number, code: string, message: string): Promise<void> {
    const { customId } = await this.#line(number);
    await this.#finish(number, failedLine({ batchId: this.id, number, customId, code, message }), false, 0);
  }

  async #finish(number: number, content: Buffer, hasAnswer: boolean, costNanoUsd: number): Promise<void> {
    const { lines, sealing } = this.#parts;
    const sealed = sealLine(sealing, this.id, number, content);
    await lines.finish(this.#batch, { ...sealed, hasAnswer, costNanoUsd });
  }

  /** Ends the calls that were not sent, makes the results known, and then ends the batch. All of it can be repeated. */
  async #end(maker: OwnBatchMaker): Promise<void> {
    const { batches, clock, holder, publish } = this.#parts;
    const wasCancelled = this.#batch.state === 'cancelling';
    const unsent = await this.#endUnsent(
      wasCancelled
        ? { code: 'batch_cancelled', message: 'The batch was cancelled before this call was sent.' }
        : { code: 'batch_expired', message: 'The batch expired before this call was sent.' },
    );
    if (!this.#goesOn) return;
    const state = wasCancelled ? 'cancelled' : unsent > 0 ? 'expired' : 'completed';
    // With the counts of all calls.
    const [batch] = await batches.find(this.#batch.accountId, [this.id]);
    if (batch === undefined) return;
    await publish({ ...batch, state }, maker);
    await batches.end(this.#batch, holder, { state, atMs: clock.now() });
  }

  /** Returns their number. */
  async #endUnsent(error: { readonly code: string; readonly message: string }): Promise<number> {
    const { lines, sealing } = this.#parts;
    let ended = 0;
    for (let from = 0; this.#goesOn; ) {
      const numbers = await lines.unfinished(this.#batch, from, limits.callLinesAtOnce);
      const last = numbers.at(-1);
      if (last === undefined) break;
      const results = [];
      for (const number of numbers) {
        const { customId } = await this.#line(number);
        const content = failedLine({ batchId: this.id, number, customId, ...error });
        results.push({ ...sealLine(sealing, this.id, number, content), hasAnswer: false, costNanoUsd: 0 });
      }
      await lines.fill(this.#batch, results);
      ended += numbers.length;
      from = last + 1;
    }
    return ended;
  }

  #pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#parts.clock.now() + ms);
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  async #wait(ms: number): Promise<void> {
    const waiting = new AbortController();
    const { signal } = waiting;
    const timeout = sleep(Math.min(Math.max(0, ms), limits.ownBatchWaitMs), undefined, {
      signal,
      ref: false,
    });
    await Promise.race([this.#change.promise, timeout.catch(() => undefined)]);
    waiting.abort();
  }
}

const firstError = 300;
const unknownAnswerText =
  'The call was sent, and the gateway stopped before its answer was stored. It may have been answered and billed, so it was not sent again.';
