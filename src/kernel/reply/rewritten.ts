import type { ReplyEvent } from '../message.ts';
import type { Keeper } from './keeper.ts';
import type { Reading } from './reading.ts';
import { leave, type Source } from './source.ts';

export type Events = readonly ReplyEvent[];

/** Makes of one event what stands in its place. */
export interface Rewrite {
  (event: ReplyEvent): ReplyEvent | Events;
  /** What it holds back, for when it can't go on. */
  readonly flush?: () => Events;
}

/** Makes of a whole answer another: may hold events back, wait, ask elsewhere, and put things in. */
export type Splice = (events: AsyncIterable<ReplyEvent>) => AsyncIterable<ReplyEvent>;

/** Whose code it is; known only once the reply was handed on. */
type KeptBy = () => Keeper | undefined;

/** Rewritten event by event. Where the rewriting fails and may be done without, the rest passes as it is. */
export function mapped(inner: Source<Events>, rewrite: Rewrite, keptBy: KeptBy): Source<Events> {
  let goesOnAsItIs = false;
  const written = (event: ReplyEvent): ReplyEvent | Events => {
    if (goesOnAsItIs) return event;
    try {
      return checked(rewrite(event));
    } catch (fault) {
      orThrown(fault, keptBy(), true);
      goesOnAsItIs = true;
      return [...(rewrite.flush?.() ?? []), event];
    }
  };
  return {
    async next() {
      const events = await inner.next();
      return events?.flatMap(written);
    },
    cancel: () => inner.cancel(),
  };
}

/** Rewritten as a whole. Once any of it was read, there is no going on without who reads it. */
export function spliced(reading: Reading, splice: Splice, keptBy: KeptBy): Source<Events> {
  let rest: AsyncIterator<ReplyEvent> | undefined;
  let isOver = false;
  let hasWritten = false;
  return {
    async next() {
      try {
        rest ??= splice(reading)[Symbol.asyncIterator]();
        const { done, value } = await rest.next();
        if (done !== true) {
          hasWritten = true;
          checked(value);
          if (value.type === 'message_stop' || value.type === 'error') isOver = true;
          return [value];
        }
        await reading.return();
        if (isOver) return undefined;
        throw new Error('the answer that was written ends before its message_stop');
      } catch (fault) {
        orThrown(fault, keptBy(), rest !== reading && !reading.begun && !hasWritten);
        isOver = true;
        rest = reading;
        const { done, value } = await reading.next();
        return done === true ? undefined : [value];
      }
    },
    cancel() {
      if (rest !== undefined && rest !== reading) leave(rest);
      leave(reading);
    },
  };
}

/** Modules may be written without a compiler that looks after them. */
function checked<Written extends ReplyEvent | Events>(written: Written): Written {
  const events: readonly unknown[] = Array.isArray(written) ? written : [written];
  for (const event of events) {
    if (event instanceof Promise) {
      event.catch(() => undefined);
      throw new Error('a rewrite of an event can’t wait; through() can');
    }
    if (!isEvent(event)) throw new Error('what was written in place of an event is none');
  }
  return written;
}

function isEvent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function orThrown(fault: unknown, keeper: Keeper | undefined, mayGoOn: boolean): void {
  const failure = keeper === undefined ? fault : keeper.failed(fault, mayGoOn);
  if (failure !== undefined) throw failure;
}
