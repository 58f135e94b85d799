import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '../../../src/kernel/message.ts';
import { extractTraits, scoreSalience, type Traits } from '../../../src/lib/passages/salience.ts';
import { selectLines, type Utterance, utterancesIn } from '../../../src/modules/ipc/text/record.ts';
import { CachedModels } from '../semantic/models.ts';
import { type LocomoQuestion, type LocomoTurn, rowsOf } from './rows.ts';

interface Talk {
  readonly messages: readonly Message[];
  readonly said: readonly Utterance[];
  /** What is seen of each passage: the traits that the module uses, and those of vectors. */
  readonly seen: readonly (readonly number[])[];
  readonly isNeeded: readonly boolean[];
  /** Texts that each question needs. */
  readonly wanted: readonly (readonly string[])[];
}

const share = 0.25;
const names: readonly (keyof Traits)[] = [
  'length',
  'self',
  'time',
  'decision',
  'trouble',
  'name',
  'mark',
  'fresh',
  'rare',
  'answers',
  'asks',
  'praise',
  'address',
];

/** Would weights that were found on half of the talks choose as well in the others? And does it help to look at vectors? */
export async function fitted(folder: string, withVectors: boolean): Promise<void> {
  const models = withVectors ? new CachedModels() : undefined;
  try {
    const questions = rowsOf<LocomoQuestion>(join(folder, 'questions.jsonl'));
    const talks: Talk[] = [];
    for (const file of readdirSync(folder)
      .filter((name) => name !== 'questions.jsonl')
      .sort()) {
      const own = questions.filter(({ conversation }) => `${conversation}.jsonl` === file);
      talks.push(await talkOf(rowsOf<LocomoTurn>(join(folder, file)), own, models));
    }
    const kept = (chosen: readonly Talk[], weigh: (talk: Talk) => readonly number[]) =>
      `${(keptShare(chosen, weigh) * 100).toFixed(1)} %`;
    const halves = [0, 1].map((half) => talks.filter((_, at) => at % 2 === half));
    for (const [half, own] of halves.entries()) {
      const others = halves[1 - half] ?? [];
      const words = climbed(others, fit(others, names.length));
      console.log(
        `\nfive talks, ${own.reduce((sum, { wanted }) => sum + wanted.length, 0)} questions, all evidence in ${share * 100} % of the text:`,
        `weights of the module ${kept(own, ({ said }) => scoreSalience(said))},`,
        `found on the other five ${kept(own, (talk) => chances(talk, words))}`,
      );
      if (!withVectors) continue;
      const vectors = climbed(others, fit(others, names.length + 2));
      console.log(`  with vectors beside them ${kept(own, (talk) => chances(talk, vectors))}`);
    }
  } finally {
    await models?.close();
  }
}

async function talkOf(
  turns: readonly LocomoTurn[],
  questions: readonly LocomoQuestion[],
  models: CachedModels | undefined,
): Promise<Talk> {
  const messages = turns.map(({ message }) => message);
  const said = utterancesIn(messages);
  const needed = new Set(questions.flatMap(({ evidence }) => evidence.map(String)));
  const texts = new Map(turns.map(({ id, text, message }) => [String(id), text ?? String(message.content)]));
  const vectors: Float32Array[] = [];
  if (models !== undefined) for (const { text } of said) vectors.push(await vectorOf(text, models));
  const near = nearness(vectors);
  return {
    messages,
    said,
    seen: extractTraits(said).map((traits, at) => [
      ...names.map((name) => traits[name]),
      ...(near[at] ?? []),
    ]),
    isNeeded: said.map(({ at }) => needed.has(String(turns[at]?.id))),
    wanted: questions
      .map(({ evidence }) => evidence.flatMap((id) => texts.get(String(id)) ?? []).map(squeezed))
      .filter(({ length }) => length > 0),
  };
}

/** Of how it begins: longer texts are not looked up in one go. */
async function vectorOf(text: string, models: CachedModels): Promise<Float32Array> {
  for (const chars of [220, 120, 60]) {
    const vector = await models.vector(text.slice(0, chars));
    if (vector !== undefined) return vector;
  }
  return new Float32Array(1);
}

/** How near each is to all others, and to the nearest that came before. */
function nearness(vectors: readonly Float32Array[]): readonly (readonly number[])[] {
  const dot = (one: Float32Array, other: Float32Array) =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const middle = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    for (const [at, value] of vector.entries()) middle[at] = (middle[at] ?? 0) + value / vectors.length;
  return vectors.map((vector, at) => [
    dot(vector, middle),
    vectors.slice(Math.max(0, at - 400), at).reduce((most, other) => Math.max(most, dot(vector, other)), 0),
  ]);
}

function keptIn({ messages, wanted }: Talk, likely: readonly number[]): readonly boolean[] {
  const chars = messages.reduce((sum, { content }) => sum + String(content).length, 0);
  const record = squeezed(
    selectLines(utterancesIn(messages), likely, chars * share)
      .map(({ text }) => text)
      .join('\n'),
  );
  return wanted.map((texts) => texts.every((text) => record.includes(text)));
}

function keptShare(talks: readonly Talk[], weigh: (talk: Talk) => readonly number[]): number {
  const all = talks.flatMap((talk) => keptIn(talk, weigh(talk)));
  return all.filter(Boolean).length / all.length;
}

/** From what a regression found, one weight after the other to where most is kept. */
function climbed(talks: readonly Talk[], start: Fit): Fit {
  const weights = [...start.weights];
  const now = () => keptShare(talks, (talk) => chances(talk, { ...start, weights }));
  let best = now();
  for (const step of [0.4, 0.2, 0.1])
    for (let at = 0; at < start.means.length; at++)
      for (const change of [step, -step]) {
        weights[at] = (weights[at] ?? 0) + change;
        const share = now();
        if (share > best) best = share;
        else weights[at] = (weights[at] ?? 0) - change;
      }
  return { ...start, weights };
}

interface Fit {
  readonly weights: readonly number[];
  readonly means: readonly number[];
  readonly spreads: readonly number[];
}

/** Logistic regression by plain descent over the first so many of what is seen. */
function fit(talks: readonly Talk[], count: number): Fit {
  const rows = talks.flatMap(({ seen, isNeeded }) =>
    seen.map((one, at) => ({ one: one.slice(0, count), needed: isNeeded[at] ?? false })),
  );
  const means = Array.from({ length: count }, (_, at) => mean(rows.map(({ one }) => one[at] ?? 0)));
  const spreads = means.map((middle, at) =>
    Math.max(1e-6, Math.sqrt(mean(rows.map(({ one }) => ((one[at] ?? 0) - middle) ** 2)))),
  );
  const weights = new Array<number>(count + 1).fill(0);
  for (let round = 0; round < 400; round++) {
    const slopes = new Array<number>(count + 1).fill(0);
    for (const { one, needed } of rows) {
      const off = 1 / (1 + Math.exp(-oddsOf(one, { weights, means, spreads }))) - (needed ? 1 : 0);
      slopes[count] = (slopes[count] ?? 0) + off;
      for (let at = 0; at < count; at++)
        slopes[at] = (slopes[at] ?? 0) + (off * ((one[at] ?? 0) - (means[at] ?? 0))) / (spreads[at] ?? 1);
    }
    for (const [at, slope] of slopes.entries())
      weights[at] = (weights[at] ?? 0) - (slope / rows.length) * 1.5;
  }
  return { weights, means, spreads };
}

/** As the module does: what is needed is rare, so that chances grow as odds do. */
function chances({ seen }: Talk, found: Fit): readonly number[] {
  return seen.map((one) => Math.exp(oddsOf(one, found)));
}

function oddsOf(one: readonly number[], { weights, means, spreads }: Fit): number {
  let odds = weights.at(-1) ?? 0;
  for (let at = 0; at < means.length; at++)
    odds += ((weights[at] ?? 0) * ((one[at] ?? 0) - (means[at] ?? 0))) / (spreads[at] ?? 1);
  return odds;
}

function mean(list: readonly number[]): number {
  return list.reduce((sum, one) => sum + one, 0) / list.length;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
