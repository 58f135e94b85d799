// Measures semantic-cache by the code that it decides with: npm run eval:semantic -- --data <folder> [--only <set>] [--false <n>]
import { parseArgs } from 'node:util';
import { isServable } from '../../src/modules/semantic-cache/error-bound.ts';
import { EvaluatedCache, type Offer } from './semantic/cache.ts';
import { exchangedPairs } from './semantic/exchanged.ts';
import { CachedModels } from './semantic/models.ts';
import { nearMisses, ownPairs } from './semantic/own-sets.ts';
import { type Pair, readIntents, readPairs, type Sentence, seeded, shuffled } from './semantic/sets.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    only: { type: 'string' },
    false: { type: 'string', default: '0' },
    missed: { type: 'string', default: '0' },
  },
});
const errors = [0.001, 0.005, 0.01, 0.02, 0.05];
const standard = 0.02;
const models = new CachedModels();

/** A question that was asked, what was offered for it, and whether that is right. */
interface AskedPair {
  readonly text: string;
  readonly offer: Offer | undefined;
  readonly isRight: boolean;
  /** Whether there was a right answer in the cache. */
  readonly isRepeat: boolean;
}

const sets: Readonly<Record<string, (folder: string) => Promise<AskedPair[]>>> = {
  'qqp-16k': (folder) => asPairs(readPairs(folder, 'qqp-16k')),
  'peer-quora': (folder) => asPairs(readPairs(folder, 'peer-quora')),
  'qqp-16k, population': (folder) => asPopulation(readPairs(folder, 'qqp-16k')),
  'gptcache-mock': (folder) => asPairs(readPairs(folder, 'gptcache-mock')),
  'banking77, other intents': (folder) => asIntents(readIntents(folder, 'banking77')),
  'clinc150, other intents': (folder) => asIntents(readIntents(folder, 'clinc150')),
  'words exchanged, qqp-16k': (folder) =>
    asPairs(
      exchangedPairs(
        readPairs(folder, 'qqp-16k').flatMap(({ a, b }) => [a, b]),
        2000,
        seeded(5),
      ),
    ),
  'words exchanged, clinc150': (folder) =>
    asPairs(
      exchangedPairs(
        readIntents(folder, 'clinc150').map(({ text }) => text),
        2000,
        seeded(5),
      ),
    ),
  'words exchanged, banking77': (folder) =>
    asPairs(
      exchangedPairs(
        readIntents(folder, 'banking77').map(({ text }) => text),
        1000,
        seeded(5),
      ),
    ),
  'own prompts': () => asPairs(ownPairs()),
  'near-misses': () => asPairs(bothWays(nearMisses())),
};

try {
  console.log(
    '| set | asked | repeats | error | hits | of the repeats | precision | wrong of all asked | wrong of hits, expected |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const [name, ask] of Object.entries(sets)) {
    if (values.only !== undefined && !name.startsWith(values.only)) continue;
    const isOwn = name === 'own prompts' || name === 'near-misses';
    if (!isOwn && values.data === undefined) continue;
    report(name, await ask(values.data ?? ''));
  }
} finally {
  await models.close();
}

/** One entry in the cache, one question. */
async function asPairs(pairs: readonly Pair[]): Promise<AskedPair[]> {
  const asked: AskedPair[] = [];
  for (const { id, a, b, same } of pairs) {
    const cache = new EvaluatedCache(models);
    await cache.store(id, a);
    asked.push({ text: b, offer: await cache.ask(b), isRight: same, isRepeat: same });
  }
  return asked;
}

function bothWays(pairs: readonly Pair[]): Pair[] {
  return pairs.flatMap((pair) => [pair, { ...pair, a: pair.b, b: pair.a }]);
}

/** All in one cache: a thousand questions that are the same as one in it, and a thousand that are not. */
async function asPopulation(pairs: readonly Pair[], each = 1000): Promise<AskedPair[]> {
  const used = new Set<string>();
  const groupOf = grouped(pairs);
  const left = { same: each, other: each };
  const chosen: Pair[] = [];
  for (const pair of shuffled(pairs, seeded(1))) {
    const kind = pair.same ? 'same' : 'other';
    const [one, other] = [groupOf(pair.a), groupOf(pair.b)];
    if (left[kind] === 0 || used.has(one) || used.has(other) || (one === other) !== pair.same) continue;
    left[kind]--;
    used.add(one).add(other);
    chosen.push(pair);
  }
  const cache = new EvaluatedCache(models);
  for (const { id, a } of chosen) await cache.store(id, a);
  const asked: AskedPair[] = [];
  for (const { id, b, same } of chosen) {
    const offer = await cache.ask(b);
    asked.push({ text: b, offer, isRight: same && offer?.key === id, isRepeat: same });
  }
  return asked;
}

/** Questions that are the same as each other, through however many pairs. */
function grouped(pairs: readonly Pair[]): (text: string) => string {
  const parent = new Map<string, string>();
  const plain = (text: string) => text.trim().toLowerCase();
  const root = (text: string): string => {
    let at = text;
    for (let next = parent.get(at); next !== undefined; next = parent.get(at)) at = next;
    return at;
  };
  for (const { a, b, same } of pairs) {
    const [one, other] = [root(plain(a)), root(plain(b))];
    if (same && one !== other) parent.set(one, other);
  }
  return (text) => root(plain(text));
}

/** Two sentences of each intent are in the cache, five others are asked: only another intent’s answer is surely wrong. One in a thousand is, so that it takes many draws to tell. */
async function asIntents(sentences: readonly Sentence[], draws = 50): Promise<AskedPair[]> {
  const asked: AskedPair[] = [];
  for (let seed = 1; seed <= draws; seed++) asked.push(...(await drawnIntents(sentences, seeded(seed))));
  return asked;
}

async function drawnIntents(sentences: readonly Sentence[], random: () => number): Promise<AskedPair[]> {
  const cache = new EvaluatedCache(models);
  const intentOf = new Map(sentences.map(({ id, intent }) => [id, intent]));
  const questions: Sentence[] = [];
  for (const intent of new Set(sentences.map((sentence) => sentence.intent))) {
    const mixed = shuffled(
      sentences.filter((sentence) => sentence.intent === intent),
      random,
    );
    const isOutside = intent === 'oos';
    for (const { id, text } of isOutside ? [] : mixed.slice(0, 2)) await cache.store(id, text);
    questions.push(...(isOutside ? mixed.slice(0, 250) : mixed.slice(2, 7)));
  }
  const asked: AskedPair[] = [];
  for (const { text, intent } of questions) {
    const offer = await cache.ask(text);
    const isRight = offer !== undefined && intentOf.get(offer.key) === intent;
    asked.push({ text, offer, isRight, isRepeat: intent !== 'oos' });
  }
  return asked;
}

function report(name: string, asked: readonly AskedPair[]): void {
  const repeats = asked.filter(({ isRepeat }) => isRepeat).length;
  for (const error of errors) {
    const hits = asked.filter(({ offer }) => offer !== undefined && isServable(offer.wrong, error));
    const expected = hits.reduce((sum, { offer }) => sum + (offer?.wrong ?? 0), 0);
    const right = hits.filter(({ isRight }) => isRight).length;
    const share = (part: number, whole: number) => (whole === 0 ? '' : (part / whole).toFixed(3));
    const shown = error === standard ? `**${error}**` : String(error);
    console.log(
      `| ${name} | ${asked.length} | ${repeats} | ${shown} | ${hits.length} | ${share(right, repeats)} | ${share(right, hits.length)} | ${((100 * (hits.length - right)) / asked.length).toFixed(2)} % | ${share(expected, hits.length)} |`,
    );
  }
  const isHit = ({ offer }: AskedPair) => offer !== undefined && isServable(offer.wrong, standard);
  const wrong = asked.filter((one) => isHit(one) && !one.isRight);
  for (const { text, offer } of shuffled(wrong, seeded(3)).slice(0, Number(values.false)))
    console.log(`  ${offer?.wrong.toFixed(4)}  ${offer?.text}  |  ${text}`);
  const missed = asked.filter((one) => !isHit(one) && one.isRepeat);
  for (const { text, offer } of shuffled(missed, seeded(3)).slice(0, Number(values.missed)))
    console.log(`  missed ${offer?.wrong.toFixed(4) ?? ''}  ${text}`);
}
