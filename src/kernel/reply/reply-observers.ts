import type { ReplyEvent } from '../message.ts';
import type { CodeOwner } from './code-owner.ts';
import type { Events } from './rewrite-events.ts';

export type ReplyObserver = (event: ReplyEvent) => void;

/** Those who see an answer go by, and who answers for each. */
export class ReplyObservers {
  readonly #entries: { readonly observer: ReplyObserver; owner: CodeOwner | undefined }[] = [];

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(observer: ReplyObserver, owner: CodeOwner | undefined): void {
    this.#entries.push({ observer, owner });
  }

  /** What nobody answers for yet is this one's. */
  assignOwner(codeOwner: CodeOwner): void {
    for (const one of this.#entries) one.owner ??= codeOwner;
  }

  notify(event: Events[number], onFault: (fault: unknown, codeOwner: CodeOwner | undefined) => void): void {
    for (const { observer, owner } of this.#entries) {
      try {
        const looked: unknown = observer(event);
        // One that waits is not waited for, but what it throws is its own.
        if (looked instanceof Promise) looked.catch((fault) => onFault(fault, owner));
      } catch (fault) {
        onFault(fault, owner);
      }
    }
  }
}
