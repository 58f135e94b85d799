import type { ReplyEvent } from '../message.ts';
import type { CodeOwner } from './code-owner.ts';
import type { Events } from './rewrite-events.ts';

export type ReplyObserver = (event: ReplyEvent) => void;

/** The observers of a reply, each with its owner. */
export class ReplyObservers {
  readonly #entries: { readonly observer: ReplyObserver; owner: CodeOwner | undefined }[] = [];

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(observer: ReplyObserver, owner: CodeOwner | undefined): void {
    this.#entries.push({ observer, owner });
  }

  /** Assigns entries without an owner. */
  assignOwner(codeOwner: CodeOwner): void {
    for (const one of this.#entries) one.owner ??= codeOwner;
  }

  notify(event: Events[number], onFault: (fault: unknown, codeOwner: CodeOwner | undefined) => void): void {
    for (const { observer, owner } of this.#entries) {
      try {
        const looked: unknown = observer(event);
        // Promises are not awaited, but their rejections are the owner's fault.
        if (looked instanceof Promise) looked.catch((fault) => onFault(fault, owner));
      } catch (fault) {
        onFault(fault, owner);
      }
    }
  }
}
