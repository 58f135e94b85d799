import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../kernel/exchange.ts';
import type { ReplyEvent } from '../kernel/message.ts';
import type { ReadBackgroundAnswer } from '../providers/background-answer.ts';
import { extensionBodyFields } from '../wire/foreign.ts';
import { limits } from './limits.ts';

/** Waits for answers that providers make in the background: only a complete one says what it costs. */
export class BackgroundUsage {
  readonly #read: ReadBackgroundAnswer;
  #waiting = 0;

  constructor(read: ReadBackgroundAnswer) {
    this.#read = read;
  }

  /** The events of the complete answer; undefined if it can't be read, or takes too long. Never rejects. */
  async wait(
    exchange: Exchange,
    id: string,
    signal: AbortSignal,
  ): Promise<readonly ReplyEvent[] | undefined> {
    if (this.#waiting >= limits.backgroundReadsMax) return undefined;
    this.#waiting++;
    try {
      return await this.#readUntilComplete(exchange, id, signal);
    } catch {
      return undefined;
    } finally {
      this.#waiting--;
    }
  }

  async #readUntilComplete(exchange: Exchange, id: string, signal: AbortSignal) {
    const untilMs = performance.now() + limits.backgroundReadMs;
    for (let waitMs = limits.backgroundReadMsMin; performance.now() < untilMs; waitMs *= 1.5) {
      await sleep(Math.min(waitMs, limits.backgroundReadMsMax), undefined, { signal, ref: false });
      const state = await this.#readOnce(exchange, id, signal);
      if (state === 'gone') return undefined;
      if (state !== 'running') return state.events;
    }
    return undefined;
  }

  /** A provider that can't be reached is asked again later. */
  async #readOnce(exchange: Exchange, id: string, signal: AbortSignal) {
    const timeout = AbortSignal.timeout(limits.backgroundReadTimeoutMs);
    try {
      return await this.#read(exchange, id, AbortSignal.any([signal, timeout]));
    } catch {
      signal.throwIfAborted();
      return 'running';
    }
  }
}

/** Whether the provider of an attempt makes the answer in the background, as the client asks. */
export function isInBackground(exchange: Exchange): boolean {
  const { wire, fields, relay } = exchange.clientRequest;
  if (relay !== undefined || wire.continuation?.background?.isRequested(fields) !== true) return false;
  return exchange.isUnmodified || extensionBodyFields(exchange.request, wire.name).background === true;
}
