import { hash } from 'node:crypto';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DocumentChanges } from './document-changes.ts';

export interface RateWindow {
  readonly untilMs: number;
  tries: number;
}

/** Windows are stored under hashed names, because names contain IP and email addresses. */
export class DocumentRateLimiter implements RateLimiter {
  readonly #changes: DocumentChanges<RateWindow>;
  readonly #clock: Clock;

  constructor(changes: DocumentChanges<RateWindow>, clock: Clock) {
    this.#changes = changes;
    this.#clock = clock;
  }

  count(
    name: string,
    { most, seconds }: { readonly most: number; readonly seconds: number },
  ): Promise<number> {
    return this.#changes.change(documentName(name), (existing) => {
      const nowMs = this.#clock.now();
      const window = existing ?? { untilMs: nowMs + seconds * 1000, tries: 0 };
      window.tries++;
      const { untilMs, tries } = window;
      return { value: window, untilMs, result: tries <= most ? 0 : Math.ceil((untilMs - nowMs) / 1000) };
    });
  }

  /** An expired window is none. */
  forget(name: string): Promise<void> {
    return this.#changes.change(documentName(name), () => ({
      value: { untilMs: 0, tries: 0 },
      result: undefined,
    }));
  }
}

function documentName(name: string): string {
  return `attempts ${hash('sha256', name, 'base64url')}`;
}
