import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';

export interface Pair {
  readonly id: string;
  readonly a: string;
  readonly b: string;
  readonly same: boolean;
}

export interface Sentence {
  readonly id: string;
  readonly text: string;
  readonly intent: string;
}

export function readPairs(folder: string, name: string): Pair[] {
  return rowsOf(join(folder, `${name}.pairs.jsonl`)).map(({ id, a, b, same }) => ({
    id: String(id),
    a: String(a),
    b: String(b),
    same: same === true,
  }));
}

export function readIntents(folder: string, name: string): Sentence[] {
  return rowsOf(join(folder, `${name}.intents.jsonl`)).map(({ id, text, intent }) => ({
    id: String(id),
    text: String(text),
    intent: String(intent),
  }));
}

function rowsOf(path: string): JsonObject[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line): JsonObject => {
      const row: unknown = JSON.parse(line);
      if (!isJsonObject(row)) throw new Error(`${path}: not an object`);
      return row;
    });
}

/** The same on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const mixed = items.map((item) => ({ item, place: random() }));
  return mixed.sort((one, other) => one.place - other.place).map(({ item }) => item);
}
