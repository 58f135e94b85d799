import { z } from 'zod';
import type { DecisionLog } from '../../../module-api.ts';
import { limits } from '../limits.ts';
import { anonymousPlaceholder, labelOf, placeholderFor } from './placeholders.ts';

/** A value that was found, to be replaced by a placeholder. */
export interface SensitiveValue {
  readonly kind: string;
  readonly value: string;
  /** The text before it, if the value says too little to be recognized by itself. */
  readonly before: string;
  /** The digest of the conversation before the message that it was found in; empty for instructions and tools. */
  readonly since: string;
}

/** A value of the conversation with its placeholder. */
export interface KnownValue extends SensitiveValue {
  readonly placeholder: string;
}

const storedValues = z.array(
  z.object({ kind: z.string(), number: z.int(), value: z.string(), before: z.string(), since: z.string() }),
);
type StoredValue = z.output<typeof storedValues>[number];

type Decisions = Pick<DecisionLog, 'get' | 'decideOnce'>;

/**
 * The values of a conversation and their placeholders. It is stored with the conversation, encrypted, so that a value has the same
 * placeholder in every call and on every replica.
 */
export class Vault {
  readonly #decisions: Decisions;
  readonly #byValue = new Map<string, KnownValue>();
  readonly #known: KnownValue[] = [];
  readonly #stored: StoredValue[] = [];
  readonly #numbers = new Map<string, number>();
  #batches = 0;
  #isStored = true;

  private constructor(decisions: Decisions) {
    this.#decisions = decisions;
  }

  /** For texts that are part of no conversation: nothing is stored. */
  static ofTexts(): Vault {
    return new Vault({ get: async () => undefined, decideOnce: async (_, decide) => decide() });
  }

  /** `inherited` are packed values of a conversation that this one continues. */
  static async open(decisions: DecisionLog, inherited?: string): Promise<Vault> {
    const vault = new Vault(decisions);
    if (inherited !== undefined)
      for (const value of readValues(JSON.parse(inherited))) vault.#remember(value);
    await vault.#load();
    return vault;
  }

  /** All values, for a conversation that continues this one under another name. */
  pack(): string {
    return JSON.stringify(this.#stored);
  }

  /** In the order in which they were found. */
  get values(): readonly KnownValue[] {
    return this.#known;
  }

  /** Whether other processes and later calls know the values of this call. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** Values beyond the limits have a placeholder without a number, which can't be restored. */
  placeholderOf(kind: string, value: string): string {
    return this.#byValue.get(value)?.placeholder ?? anonymousPlaceholder(kind);
  }

  /** Gives each new value a placeholder that `isTaken` doesn't know as a text of the conversation. */
  async add(found: readonly SensitiveValue[], isTaken: (placeholder: string) => boolean): Promise<void> {
    for (;;) {
      const added = this.#numberNew(found, isTaken);
      if (added.length === 0) return;
      const decided = await this.#store(added);
      this.#batches++;
      // Another call of the conversation may have stored other values under this name.
      for (const value of decided) this.#remember(value);
    }
  }

  #numberNew(
    found: readonly SensitiveValue[],
    isTaken: (placeholder: string) => boolean,
  ): readonly StoredValue[] {
    const added = new Map<string, StoredValue>();
    const numbers = new Map(this.#numbers);
    for (const { kind, value, before, since } of found) {
      const isFull = this.#known.length + added.size >= limits.valuesMax || added.size >= limits.valuesAtOnce;
      if (isFull || added.has(value) || this.#byValue.has(value) || value.length > limits.valueCharactersMax)
        continue;
      const label = labelOf(kind);
      let number = (numbers.get(label) ?? 0) + 1;
      while (isTaken(placeholderFor(kind, number))) number++;
      numbers.set(label, number);
      added.set(value, { kind, number, value, before, since });
    }
    return [...added.values()];
  }

  /** Without the store, placeholders are numbered in the order of the texts, which is nearly always the same in the next call. */
  async #store(added: readonly StoredValue[]): Promise<readonly StoredValue[]> {
    if (!this.#isStored) return added;
    try {
      return readValues(await this.#decisions.decideOnce(nameOf(this.#batches), () => added));
    } catch {
      this.#isStored = false;
      return added;
    }
  }

  async #load(): Promise<void> {
    try {
      for (;;) {
        const stored = await this.#decisions.get(nameOf(this.#batches));
        if (stored === undefined) return;
        for (const value of readValues(stored)) this.#remember(value);
        this.#batches++;
      }
    } catch {
      this.#isStored = false;
    }
  }

  #remember({ kind, number, value, before, since }: StoredValue): void {
    const label = labelOf(kind);
    this.#numbers.set(label, Math.max(this.#numbers.get(label) ?? 0, number));
    if (this.#byValue.has(value)) return;
    const known = { kind, value, before, since, placeholder: placeholderFor(kind, number) };
    this.#byValue.set(value, known);
    this.#known.push(known);
    this.#stored.push({ kind, number, value, before, since });
  }
}

function nameOf(batch: number): string {
  return `values/${batch}`;
}

function readValues(stored: unknown): readonly StoredValue[] {
  return storedValues.parse(stored);
}
