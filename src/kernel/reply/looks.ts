import type { ReplyEvent } from '../message.ts';
import type { Keeper } from './keeper.ts';
import type { Events } from './rewritten.ts';

export type Look = (event: ReplyEvent) => void;

/** Those who see an answer go by, and who answers for each. */
export class Looks {
  readonly #looks: { readonly look: Look; keeper: Keeper | undefined }[] = [];

  get isEmpty(): boolean {
    return this.#looks.length === 0;
  }

  add(look: Look, keeper: Keeper | undefined): void {
    this.#looks.push({ look, keeper });
  }

  /** What nobody answers for yet is this one's. */
  claim(keeper: Keeper): void {
    for (const one of this.#looks) one.keeper ??= keeper;
  }

  show(event: Events[number], onFault: (fault: unknown, keeper: Keeper | undefined) => void): void {
    for (const { look, keeper } of this.#looks) {
      try {
        const looked: unknown = look(event);
        // One that waits is not waited for, but what it throws is its own.
        if (looked instanceof Promise) looked.catch((fault) => onFault(fault, keeper));
      } catch (fault) {
        onFault(fault, keeper);
      }
    }
  }
}
