// Measures by which cosine a pattern is relevant, and when two corrections say the same, with the model that the gateway runs:
// npm run eval:patterns-meaning -- --data <folder with *.intents.jsonl>
import { parseArgs } from 'node:util';
import { contentWords, isReordered } from '../../src/lib/content-words.ts';
import { type CorrectionPair, laterPairs, saidPairs } from './patterns/correction-pairs.ts';
import { seeded } from './patterns/simulated.ts';
import { CachedModels } from './semantic/models.ts';
import { readIntents, type Sentence } from './semantic/sets.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
const models = new CachedModels();

interface Trigger {
  readonly intent: string;
  readonly text: string;
  readonly vector: Float32Array;
  readonly words: readonly string[];
}

interface Likeness {
  readonly isRight: boolean;
  readonly cosine: number;
  /** The share of the trigger's words that are said, and how many those are. */
  readonly share: number;
  readonly hits: number;
}

try {
  await corrections('chosen on', saidPairs);
  await corrections('written later', laterPairs);
  if (values.data !== undefined)
    for (const set of ['clinc150', 'banking77']) await relevance(set, readIntents(values.data, set));
} finally {
  await models.close();
}

/** Each intent has one pattern, made of a sentence of a person's; other sentences are what is asked later. */
async function relevance(set: string, sentences: readonly Sentence[]): Promise<void> {
  const random = seeded(3);
  const mixed = sentences.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at);
  const byIntent = Object.groupBy(
    mixed.map(({ one }) => one).filter(({ text }) => text.length < 200),
    ({ intent }) => intent,
  );
  const triggers: Trigger[] = [];
  const asked: Sentence[] = [];
  for (const [intent, [first, ...others] = []] of Object.entries(byIntent)) {
    if (first === undefined) continue;
    triggers.push({
      intent,
      text: first.text,
      vector: await vectorOf(first.text),
      words: contentWords(first.text),
    });
    asked.push(...others.slice(0, 8));
  }
  const likes: Likeness[][] = [];
  for (const { text, intent } of asked) {
    const vector = await vectorOf(text);
    const words = new Set(contentWords(text));
    likes.push(
      triggers.map((one) => {
        const hits = one.words.filter((word) => words.has(word)).length;
        return {
          isRight: one.intent === intent,
          cosine: cosineOf(vector, one.vector),
          share: hits / Math.max(1, one.words.length),
          hits,
        };
      }),
    );
  }
  console.log(`\n${set}: ${triggers.length} patterns, ${asked.length} prompts\n`);
  console.log('| relevant where | found | wrong ones a prompt | right of the first | right of all |');
  console.log('|---|--:|--:|--:|--:|');
  for (const cosine of [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7])
    tell(`cosine ${cosine}`, likes, (one) => one.cosine >= cosine);
  for (const share of [0.4, 0.5, 0.6, 0.75])
    for (const least of [1, 2, 3])
      tell(`words ${share}, ${least} at least`, likes, (one) => one.share >= share && one.hits >= least);
  for (const cosine of [0.5, 0.55, 0.6, 0.65])
    for (const behind of [0.02, 0.05, 0.1])
      tell(`cosine ${cosine}, and ${behind} behind the best`, likes, (one) => one.cosine >= cosine, behind);
  const best = new Map<readonly Likeness[], number>(
    likes.map((all) => [all, Math.max(...all.map(({ cosine }) => cosine))]),
  );
  tell(
    'what the module does',
    likes,
    (one, all) =>
      (one.cosine >= 0.6 && one.cosine >= (best.get(all) ?? 0) - 0.1) || (one.share >= 0.75 && one.hits >= 2),
  );
  for (const [cosine, share, least, both] of [
    [0.5, 0.6, 1, 0],
    [0.55, 0.6, 2, 0.4],
    [0.55, 0.5, 2, 0.45],
    [0.6, 0.5, 2, 0.45],
    [0.6, 0.4, 2, 0.5],
  ] as const)
    tell(
      `cosine ${cosine}, or ${both} and words ${share}, ${least} at least`,
      likes,
      (one) => one.cosine >= cosine || (one.share >= share && one.hits >= least && one.cosine >= both),
    );
}

function tell(
  name: string,
  likes: readonly (readonly Likeness[])[],
  isRelevant: (one: Likeness, all: readonly Likeness[]) => boolean,
  behind = 2,
): void {
  let [found, wrong, firstRight, withAny] = [0, 0, 0, 0];
  for (const all of likes) {
    const nearest = Math.max(...all.map(({ cosine }) => cosine));
    const relevant = all
      .filter((one) => isRelevant(one, all) && one.cosine >= nearest - behind)
      .sort((a, b) => b.cosine - a.cosine);
    if (relevant.some(({ isRight }) => isRight)) found++;
    wrong += relevant.filter(({ isRight }) => !isRight).length;
    if (relevant.length > 0) withAny++;
    if (relevant[0]?.isRight === true) firstRight++;
  }
  const percent = (part: number, of: number) => `${((100 * part) / of).toFixed(1)} %`;
  console.log(
    `| ${name} | ${percent(found, likes.length)} | ${(wrong / likes.length).toFixed(2)} | ${percent(firstRight, withAny)} | ${percent(found, found + wrong)} |`,
  );
}

/** When two that people said are one lesson. */
async function corrections(what: string, pairs: readonly CorrectionPair[]): Promise<void> {
  const rows = await Promise.all(
    pairs.map(async (pair) => {
      const [one, other] = [await vectorOf(pair.one), await vectorOf(pair.other)];
      const framed = [await vectorOf(frame(pair.one)), await vectorOf(frame(pair.other))] as const;
      return {
        ...pair,
        cosine: cosineOf(one, other),
        framed: cosineOf(...framed),
        logit: Math.min(await models.logit(pair.one, pair.other), await models.logit(pair.other, pair.one)),
      };
    }),
  );
  console.log(
    `\nCorrections, ${what}: ${rows.length} pairs, ${rows.filter(({ same }) => same).length} the same\n`,
  );
  console.log('| one lesson where | of the same | of the others |\n|---|--:|--:|');
  const tellOf = (name: string, isOne: (row: (typeof rows)[number]) => boolean) => {
    const of = (same: boolean) => rows.filter((row) => row.same === same);
    const [found, wrong] = [of(true), of(false)].map(
      (some) => `${some.filter(isOne).length} of ${some.length}`,
    );
    console.log(`| ${name} | ${found} | ${wrong} |`);
  };
  for (const cosine of [0.8, 0.85, 0.9, 0.92, 0.95])
    tellOf(`cosine ${cosine}`, (row) => row.cosine >= cosine);
  tellOf('cosine 0.92 in its frame', (row) => row.framed >= 0.92);
  for (const logit of [0, 1, 2, 2.5, 3]) tellOf(`judge ${logit} both ways`, (row) => row.logit >= logit);
  for (const logit of [1, 2, 3])
    tellOf(
      `judge ${logit} both ways, no words turned around`,
      (row) => row.logit >= logit && !isReordered(row.one, row.other),
    );
}

function frame(said: string): string {
  return `The user said earlier, in such a case: "${said}"`;
}

async function vectorOf(text: string): Promise<Float32Array> {
  const vector = await models.vector(text);
  if (vector === undefined) throw new Error(`too long: ${text}`);
  return vector;
}

function cosineOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
