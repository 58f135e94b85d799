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
  let isSkipped = false;
  const rewriteOrPass = (event: ReplyEvent): ReplyEvent | Events => {
    if (isSkipped) return event;
    try {
      return checkEvents(rewrite(event));
    } catch (fault) {
      handleRewriteFault(fault, ownerLookup(), true);
      isSkipped = true;
      return [...(rewrite.flush?.() ?? []), event];
    }
  };
  return {
    async next() {
      const events = await inner.next();
      return events?.flatMap(rewriteOrPass);
    },
    cancel: () => inner.cancel(),
  };
}

/** Rewrites a reply as a whole. A fault before anything was read or written is skipped if the owner allows it. */
export function spliceEvents(
  input: ReplyEventIterator,
  splice: Splice,
  ownerLookup: OwnerLookup,
): Source<Events> {
  let output: AsyncIterator<ReplyEvent> | undefined;
  let hasEnded = false;
  let hasOutput = false;
  return {
    async next() {
      try {
        output ??= splice(input)[Symbol.asyncIterator]();
        const { done, value } = await output.next();
        if (done !== true) {
          hasOutput = true;
          checkEvents(value);
          if (value.type === 'message_stop' || value.type === 'error') hasEnded = true;
          return [value];
        }
        await input.return();
        if (hasEnded) return undefined;
        throw new Error('the rewritten reply must end with message_stop or an error event');
      } catch (fault) {
        handleRewriteFault(fault, ownerLookup(), output !== input && !input.started && !hasOutput);
        hasEnded = true;
        output = input;
        const { done, value } = await input.next();
        return done === true ? undefined : [value];
      }
    },
    cancel() {
      if (output !== undefined && output !== input) closeIterator(output);
      closeIterator(input);
    },
  };
}

/** Checks at run time, since modules may be plain JavaScript. */
function checkEvents<Output extends ReplyEvent | Events>(output: Output): Output {
  const events: readonly unknown[] = Array.isArray(output) ? output : [output];
  for (const event of events) {
    if (event instanceof Promise) {
      event.catch(() => undefined);
      throw new Error('a rewrite must be synchronous; use through() for asynchronous work');
    }
    if (!isEvent(event)) throw new Error('a rewrite must return an event or a list of events');
  }
  return output;
}

function isEvent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function handleRewriteFault(fault: unknown, codeOwner: CodeOwner | undefined, mayGoOn: boolean): void {
  const failure = codeOwner === undefined ? fault : codeOwner.handleFault(fault, mayGoOn);
  if (failure !== undefined) throw failure;
}
