import type { ReplyEvent } from '../message.ts';
import type { CodeOwner } from './code-owner.ts';
import type { ReplyEventIterator } from './reply-event-iterator.ts';
import { closeIterator, type Source } from './source.ts';

export type Events = readonly ReplyEvent[];

/** Returns the replacement of an event. */
export interface Rewrite {
  (event: ReplyEvent): ReplyEvent | Events;
  /** Returns what it holds back, in case it can't continue. */
  readonly flush?: () => Events;
}

/** Turns a whole reply into another: may hold events back, wait for other sources and insert events. */
export type Splice = (events: AsyncIterable<ReplyEvent>) => AsyncIterable<ReplyEvent>;

/** The owner of the code; known only once the reply was passed on. */
type OwnerLookup = () => CodeOwner | undefined;

/** Rewrites event by event. If a rewrite fails and may be skipped, the rest passes unchanged. */
export function mapEvents(inner: Source<Events>, rewrite: Rewrite, ownerLookup: OwnerLookup): Source<Events> {
  let goesOnAsItIs = false;
  const written = (event: ReplyEvent): ReplyEvent | Events => {
    if (goesOnAsItIs) return event;
    try {
      return checkEvents(rewrite(event));
    } catch (fault) {
      handleRewriteFault(fault, ownerLookup(), true);
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

/** Rewrites as a whole. Once any of it was read, the rewriter can't be skipped any more. */
export function spliceEvents(
  replyEventIterator: ReplyEventIterator,
  splice: Splice,
  ownerLookup: OwnerLookup,
): Source<Events> {
  let rest: AsyncIterator<ReplyEvent> | undefined;
  let isOver = false;
  let hasWritten = false;
  return {
    async next() {
      try {
        rest ??= splice(replyEventIterator)[Symbol.asyncIterator]();
        const { done, value } = await rest.next();
        if (done !== true) {
          hasWritten = true;
          checkEvents(value);
          if (value.type === 'message_stop' || value.type === 'error') isOver = true;
          return [value];
        }
        await replyEventIterator.return();
        if (isOver) return undefined;
        throw new Error('the rewritten reply must end with message_stop or an error event');
      } catch (fault) {
        handleRewriteFault(
          fault,
          ownerLookup(),
          rest !== replyEventIterator && !replyEventIterator.started && !hasWritten,
        );
        isOver = true;
        rest = replyEventIterator;
        const { done, value } = await replyEventIterator.next();
        return done === true ? undefined : [value];
      }
    },
    cancel() {
      if (rest !== undefined && rest !== replyEventIterator) closeIterator(rest);
      closeIterator(replyEventIterator);
    },
  };
}

/** Checks at run time, since modules may be plain JavaScript. */
function checkEvents<Written extends ReplyEvent | Events>(written: Written): Written {
  const events: readonly unknown[] = Array.isArray(written) ? written : [written];
  for (const event of events) {
    if (event instanceof Promise) {
      event.catch(() => undefined);
      throw new Error('a rewrite must be synchronous; use through() for asynchronous work');
    }
    if (!isEvent(event)) throw new Error('a rewrite must return an event or a list of events');
  }
  return written;
}

function isEvent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function handleRewriteFault(fault: unknown, codeOwner: CodeOwner | undefined, mayGoOn: boolean): void {
  const failure = codeOwner === undefined ? fault : codeOwner.handleFault(fault, mayGoOn);
  if (failure !== undefined) throw failure;
}
