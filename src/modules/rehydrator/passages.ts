import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Message, type MessagePassage, passagesOf, type WordSet, wordSetOf } from '../../module-api.ts';
import { limits } from './limits.ts';

/** A passage with its words, to be searched. */
export interface IndexedPassage extends MessagePassage {
  readonly words: WordSet;
  /** The number of its message, from 1. */
  readonly message: number;
  /** Where it was archived; undefined for this conversation. */
  readonly archived?: { readonly conversation: string; readonly atMs: number } | undefined;
}

/** Messages are immutable and come again with every call, so each is divided once. */
const passagesByMessage = new WeakMap<Message, readonly Omit<IndexedPassage, 'message'>[]>();

/** Divides messages into passages, over several turns of the event loop. */
export class PassageIndexer {
  readonly #hashes = new Map<string, number>();
  #readCharacters = 0;

  /** `number` is that of the message. */
  async index(message: Message, number: number): Promise<readonly IndexedPassage[]> {
    const known = passagesByMessage.get(message) ?? (await this.#read(message));
    return known.map((passage) => ({ ...passage, message: number }));
  }

  async #read(message: Message): Promise<readonly Omit<IndexedPassage, 'message'>[]> {
    const indexed: Omit<IndexedPassage, 'message'>[] = [];
    for (const passage of passagesOf(message)) {
      this.#readCharacters += passage.text.length;
      if (this.#readCharacters > limits.indexedAtOnceCharacters) {
        await nextTurn();
        this.#readCharacters = 0;
      }
      indexed.push({ ...passage, words: wordSetOf(passage.text, this.#hashes) });
    }
    passagesByMessage.set(message, indexed);
    return indexed;
  }
}

/** The characters of passages. Short passages count as longer ones, because each takes time and memory. */
export function charactersOf(passages: readonly MessagePassage[]): number {
  return passages.reduce((sum, { text }) => sum + Math.max(text.length, limits.passageCharactersMin), 0);
}
