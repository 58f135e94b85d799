import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../kernel/limits.ts';
import { JournalPage } from './journal-page.ts';

interface JournalParts {
  readonly folder: string;
  /** What a kill may take: each write costs as much as the rest of a row, and with a delay many share it. */
  readonly delayMs: number;
  /** Told once each time that pages can't be written: calls go on, and a kill may take them from the log. */
  readonly onError?: (error: unknown) => void;
}

/** A page that another process has left behind. */
export interface FoundPage {
  readonly page: JournalPage;
  /** The last may be cut. */
  readonly lines: readonly string[];
}

const nameOfPages = /^requests-.+\.journal$/;

/** Calls that are not in the log yet, in files that outlive a killed process. */
export class Journal {
  readonly #folder: string;
  readonly #delayMs: number;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #process = randomUUID();
  #pages = 0;
  #isBroken = false;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ folder, delayMs, onError }: JournalParts) {
    this.#folder = folder;
    this.#delayMs = delayMs;
    this.#onError = onError;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Told when there is something to write.
    }
  }

  /** None for a while after one could not be written. `next` is asked for what there is to write. */
  newPage(next: () => string | undefined): JournalPage | undefined {
    if (performance.now() < this.#restsUntilMs) return undefined;
    return this.#page(`requests-${this.#process}-${this.#pages++}.journal`, next);
  }

  /**
   * What is there now. Pages of processes that live are among them: what they have is stored twice and there once, and if
   * such a page is gone, they have its calls in memory.
   */
  async found(): Promise<readonly FoundPage[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return Promise.all(names.filter((name) => nameOfPages.test(name)).map((name) => this.#read(name)));
  }

  async #read(name: string): Promise<FoundPage> {
    const text = await readFile(join(this.#folder, name), 'utf8').catch(() => '');
    return { page: this.#page(name, () => undefined), lines: text.split('\n') };
  }

  #page(name: string, next: () => string | undefined): JournalPage {
    return new JournalPage(join(this.#folder, name), {
      next,
      delayMs: this.#delayMs,
      tell: (error) => this.#told(error),
    });
  }

  #told(error: unknown): void {
    if (error !== undefined) {
      this.#restsUntilMs = performance.now() + limits.journalRestMs;
      if (!this.#isBroken) this.#onError?.(error);
    }
    this.#isBroken = error !== undefined;
  }
}
