import { isAscii } from './is-ascii.ts';
import { familiesOf, familyBits, type WordFamily } from './word-families.ts';

/** A sign of an attack in the words or marks of a text. */
export interface Cue {
  readonly name: string;
  /** What it adds to the model's score: 7 is enough alone, 4 needs a doubtful model, 2 one that leans to an attack. */
  readonly weight: number;
}

/** Who wrote a text: the user, or somebody who has no business with the assistant. */
export type Author = 'user' | 'third party';

/** Each cue of a text once, with its largest weight. */
export function findCues(text: string, author: Author): readonly Cue[] {
  const found = new Map<string, number>();
  const add = ({ name, weight }: Cue) => {
    if (weight > 0) found.set(name, Math.max(found.get(name) ?? 0, weight));
  };
  for (const { pattern, ...cue } of marks) if (isFor(cue, author) && pattern.test(text)) add(cue);
  const words = readWords(text);
  if (author === 'user' && hasShoutedOrder(text)) add({ name: 'shouted order', weight: 5 });
  for (const [at, { families, isQuoted }] of words.entries()) {
    if ((families & firstBits) === 0) continue;
    const surroundings = surroundingsOf(words, at);
    for (const phrase of phrases)
      if ((families & phrase.firstBit) !== 0 && isFor(phrase, author) && matches(phrase, surroundings))
        add({ name: phrase.name, weight: isQuoted ? phrase.weight - quotedLess : phrase.weight });
  }
  return Array.from(found, ([name, weight]) => ({ name, weight }));
}

function isFor(cue: { readonly author?: Author }, author: Author): boolean {
  return cue.author === undefined || cue.author === author;
}

interface Word {
  readonly families: number;
  readonly sentence: number;
  /** Whether it stands in quotation marks: such words are mostly talked about, not meant. */
  readonly isQuoted: boolean;
}

/** A word, followed in its sentence by words of other families. */
interface Phrase extends Cue {
  readonly firstBit: number;
  /** One of these sets, in any order. */
  readonly thenBits: readonly number[];
  /** Whether a negation before the first word makes it an attack; by default it makes it none. */
  readonly isNegated: boolean;
  /** Whether the other words come before the first, as before German verbs. */
  readonly isLast?: true;
  /** Whose texts it is sought in; everybody's by default. */
  readonly author?: Author;
}

/** How far the words of a phrase are apart at most. */
const reach = 8;
const negationReach = 3;
const negationBit = familyBits('negation');
const subjectBit = familyBits('subject');

/** The families of the words around a word in its sentence. */
interface Surroundings {
  readonly before: number;
  readonly after: number;
  readonly isNegated: boolean;
  /** Whether a subject comes right before it: then it is no order. */
  readonly isStatement: boolean;
}

function surroundingsOf(words: readonly Word[], at: number): Surroundings {
  const sentence = words[at]?.sentence;
  const familiesAt = (index: number) => {
    const word = words[index];
    return word?.sentence === sentence ? (word?.families ?? 0) : 0;
  };
  let before = 0;
  let after = 0;
  let near = 0;
  for (let distance = 1; distance <= reach; distance++) {
    before |= familiesAt(at - distance);
    after |= familiesAt(at + distance);
    if (distance === negationReach) near = before;
  }
  return {
    before,
    after,
    isNegated: (near & negationBit) !== 0,
    isStatement: (familiesAt(at - 1) & subjectBit) !== 0,
  };
}

function matches(
  { thenBits, isNegated, isLast }: Phrase,
  { before, after, ...surroundings }: Surroundings,
): boolean {
  if (surroundings.isStatement || surroundings.isNegated !== isNegated) return false;
  const seen = isLast ? before : after;
  return thenBits.some((bits) => (seen & bits) === bits);
}

const quotedLess = 4;

/** Several words in capitals that order something, within a text in lower case. */
function hasShoutedOrder(text: string): boolean {
  let lowerCaseWords = 0;
  let run: string[] = [];
  const orders: boolean[] = [];
  for (const [word] of text.matchAll(/\p{L}{2,}/gu)) {
    if (word === word.toUpperCase()) run.push(word);
    else {
      orders.push(isOrder(run));
      run = [];
      lowerCaseWords++;
    }
  }
  return lowerCaseWords >= lowerCaseWordsMin && (orders.includes(true) || isOrder(run));
}

function isOrder(run: readonly string[]): boolean {
  return (
    run.length >= shoutedWordsMin && run.some((word) => (familiesOf(foldAccents(word)) & orderBits) !== 0)
  );
}

const shoutedWordsMin = 4;
const lowerCaseWordsMin = 4;
const orderBits = familyBits('say') | familyBits('override');

function readWords(text: string): readonly Word[] {
  const words: Word[] = [];
  let sentence = 0;
  let isQuoted = false;
  const folded = foldAccents(text);
  for (const [token] of folded.matchAll(isAscii(folded) ? asciiTokens : tokens)) {
    const first = token.charAt(0);
    if (quotes.includes(first)) isQuoted = !isQuoted;
    else if (first === '\n') {
      sentence++;
      isQuoted = false;
    } else if ('.!?;'.includes(first)) sentence++;
    else words.push({ families: familiesOf(token.replace('’', "'")), sentence, isQuoted });
  }
  return words;
}

/** Words, quotation marks, and ends of sentences and lines. */
const tokens = /[\p{L}\d]+(?:['’-][\p{L}\d]+)*|["“”„«»`]|[.!?;]\s|\n/gu;
const asciiTokens = /[a-z\d]+(?:['-][a-z\d]+)*|["`]|[.!?;]\s|\n/g;
const quotes = '"“”„«»`';

function foldAccents(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

type PhraseRow = readonly [
  name: string,
  weight: number,
  first: WordFamily,
  then: readonly (readonly WordFamily[])[],
  options?: Partial<Pick<Phrase, 'isNegated' | 'isLast' | 'author'>>,
];

const rows: readonly PhraseRow[] = [
  [
    'override',
    7,
    'override',
    [
      ['prior', 'rules'],
      ['your', 'rules'],
      ['system', 'rules'],
    ],
  ],
  [
    'override',
    6,
    'override',
    [
      ['all', 'rules'],
      ['all', 'prior'],
      ['all', 'told'],
      ['prior', 'task'],
    ],
  ],
  [
    'override',
    6,
    'override',
    [
      ['everything', 'say'],
      ['everything', 'reveal'],
      ['everything', 'now'],
    ],
  ],
  [
    'override',
    6,
    'override',
    [
      ['prior', 'rules'],
      ['prior', 'task'],
    ],
    { isLast: true },
  ],
  ['override', 6, 'against', [['your', 'rules'], ['prior', 'rules'], ['told']]],
  [
    'disobey',
    5,
    'obey',
    [
      ['your', 'rules'],
      ['prior', 'rules'],
      ['all', 'rules'],
      ['system', 'rules'],
    ],
    { isNegated: true },
  ],
  [
    'reveal',
    7,
    'reveal',
    [
      ['your', 'prompt'],
      ['your', 'prior', 'rules'],
      ['your', 'system', 'rules'],
    ],
  ],
  [
    'reveal',
    4,
    'reveal',
    [
      ['system', 'prompt'],
      ['prior', 'prompt'],
      ['your', 'rules'],
    ],
  ],
  ['new task', 3, 'fresh', [['task'], ['rules']], { author: 'user' }],
  ['forced answer', 2, 'say', [['only']], { author: 'user' }],
  ['forced answer', 2, 'only', [['say']], { author: 'user' }],
  ['unlocked', 2, 'unlocked', [['mode']]],
  ['secrecy', 4, 'tell', [['person']], { isNegated: true, author: 'third party' }],
  [
    'for the assistant',
    2,
    'ai',
    [['your'], ['now'], ['override'], ['say'], ['rules']],
    { author: 'third party' },
  ],
];

const phrases: readonly Phrase[] = rows.map(([name, weight, first, then, options]) => ({
  name,
  weight,
  firstBit: familyBits(first),
  thenBits: then.map((families) => familyBits(...families)),
  isNegated: false,
  ...options,
}));

const firstBits = phrases.reduce((bits, { firstBit }) => bits | firstBit, 0);

/** Marks of chat templates, and turns of speech. */
const marks: readonly (Cue & { readonly pattern: RegExp; readonly author?: Author })[] = [
  {
    name: 'forged role',
    weight: 4,
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[\/?INST\]|<<\/?SYS>>|"role"\s?:\s?"(?:system|developer)"/,
  },
  {
    name: 'forged role',
    weight: 2,
    pattern:
      /^\W{0,8}(?:system|admin|administrator|developer)(?: (?:message|note|prompt|override|update|instructions?))?\W{0,4}:/im,
  },
  {
    name: 'forged end',
    weight: 2,
    pattern: /\bend of (?:the )?(?:input|document|user message|instructions|prompt|context|text)\b/i,
  },
  {
    name: 'from now on',
    weight: 2,
    pattern:
      /\b(?:from now on|(?:you are|you will) now|now you are|do anything now|ab sofort|von nun an|ab jetzt|(?:jetzt|nun) bist du|du bist (?:jetzt|nun)|a partir de ahora|à partir de maintenant|d'ora in poi|a partir de agora|vanaf nu|fra nu af)\b/i,
  },
  {
    name: 'finished',
    author: 'user',
    weight: 4,
    pattern:
      /\b(?:that|this|it|das|damit|es) (?:is|was|ist|war)?\s?(?:enough|done|finished|over|erledigt|genug|genügt|fertig)[.!][^.!?\n]{0,60}\b(?:now|nun|jetzt)\b/i,
  },
  {
    name: 'planted answer',
    author: 'user',
    weight: 3,
    pattern:
      /(?:^|[.!?:;,\n-] ?|\b(?:and|but|just|only|then) )(?:say|state|write|print|output|claim|repeat|answer|respond)(?: only| with| exactly)?(?::| that\b| yes\b| no\b| after me\b| ["'“‘«])/im,
  },
  {
    name: 'interruption',
    author: 'user',
    weight: 3,
    pattern: /(?:^|[.!?:\n] ?)(?:stop|halt|stopp|attention|achtung|alto)\b ?[:!.-]/im,
  },
  {
    name: 'another identity',
    author: 'user',
    weight: 4,
    pattern:
      /\b(?:you are (?:not|no longer)|du bist (?:keine?|nicht)|no eres)\b[^.!?\n]{1,60}(?:\b(?:but|sondern|sino)\b|[,;] you are\b)/i,
  },
];
