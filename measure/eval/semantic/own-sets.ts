import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pair, seeded, shuffled } from './sets.ts';

const folder = join(import.meta.dirname, 'own');

interface Request {
  readonly kind: string;
  readonly wordings: readonly string[];
  readonly others: readonly string[];
}

interface WrittenSet {
  readonly requests: readonly Request[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Prompts as agents and apps send them: as many pairs of one kind that are the same as that aren't. */
export function ownPairs(perKind = 50): Pair[] {
  const { requests, values } = readRequests();
  const random = seeded(7);
  const kinds = [...new Set(requests.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const ofKind = requests.filter((request) => request.kind === kind);
    const pairs = new Map<string, Pair>();
    for (let tries = 0; pairs.size < perKind && tries < 100 * perKind; tries++) {
      const request = pick(ofKind, random);
      const same = pairs.size % 2 === 0;
      const pair = same ? samePair(request, values, random) : otherPair(request, values, random);
      if (pair !== undefined && pair.a !== pair.b)
        pairs.set(`${pair.a}\n${pair.b}`, { ...pair, id: `${kind} ${pairs.size + 1}`, same });
    }
    return [...pairs.values()];
  });
}

type Sides = Pick<Pair, 'a' | 'b'>;
type Values = WrittenSet['values'];

function samePair({ wordings }: Request, values: Values, random: () => number): Sides {
  const [one = '', other = ''] = shuffled(wordings, random);
  const fill = filling(values, random);
  return { a: fill(one), b: fill(other) };
}

/** The same request with another value, or another request with the same. */
function otherPair({ wordings, others }: Request, values: Values, random: () => number): Sides | undefined {
  const [one = '', other = ''] = shuffled(wordings, random);
  const fill = filling(values, random);
  if (random() < 0.5) return { a: fill(one), b: fill(pick(others, random)) };
  const slots = [...one.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  if (slots.length === 0) return undefined;
  const changed = pick(slots, random);
  const refill = filling(values, random, new Map([[changed, fill(`{${changed}}`)]]));
  const before = fill(one);
  const after = other.replaceAll(/\{(\w+)\}/g, (slot, name: string) =>
    name === changed ? refill(slot) : fill(slot),
  );
  return { a: before, b: after };
}

/** Fills slots, each with one value for as long as it is used; with another than those that are not to be. */
function filling(values: Values, random: () => number, not: ReadonlyMap<string, string> = new Map()) {
  const chosen = new Map<string, string>();
  return (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const list = (values.get(name) ?? []).filter((value) => value !== not.get(name));
      if (list.length === 0) throw new Error(`there are no values for {${name}}`);
      const value = chosen.get(name) ?? pick(list, random);
      chosen.set(name, value);
      return value;
    });
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

function readRequests(): WrittenSet {
  const requests: Request[] = [];
  const values = new Map<string, readonly string[]>();
  for (const { kind, line } of linesOf('requests.txt')) {
    if (kind === 'values') {
      const [name = '', list = ''] = line.split(': ');
      values.set(name, list.split('; '));
      continue;
    }
    const [wordings = '', others = ''] = line.split(' ## ');
    requests.push({ kind, wordings: wordings.split(' | '), others: others.split(' | ') });
  }
  return { requests, values };
}

/** Pairs that must never hit, in both directions. */
export function nearMisses(): (Pair & { readonly kind: string })[] {
  return linesOf('near-misses.txt').map(({ kind, line }, at) => {
    const [a = '', b = ''] = line.split(' | ');
    return { id: `${kind} ${at + 1}`, kind, a, b, same: false };
  });
}

function linesOf(file: string): { readonly kind: string; readonly line: string }[] {
  let kind = '';
  const found: { kind: string; line: string }[] = [];
  for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
    if (line.startsWith('## ')) kind = line.slice(3).trim();
    else if (line.trim() !== '' && !line.startsWith('#')) found.push({ kind, line });
  }
  return found;
}
