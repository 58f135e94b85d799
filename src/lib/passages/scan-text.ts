/** Bit flags for what a word indicates about its sentence. */
export const cues = { self: 1, time: 2, decision: 4, address: 8, praise: 16, trouble: 32 } as const;

/** Words are hashed into a table of slots; collisions do little harm. */
const slotBits = 18;
export const slotCount = 1 << slotBits;
const slotMask = slotCount - 1;
/** FNV-1a offset basis. */
const fnvStart = 0x811c9dc5;
const fnvPrime = 0x01000193;

const cueWordLists: readonly (readonly [number, string])[] = [
  [cues.self, "i i'm i've i'd i'll my mine we we're we've our ours me us"],
  [
    cues.time,
    'yesterday today tomorrow tonight last next ago week weeks month months year years weekend monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december since recently morning evening birthday anniversary',
  ],
  [
    cues.decision,
    'decided decide decision agreed agree must should shall need needs needed because instead therefore plan planned planning todo open remaining later prefer prefers always never only except require required requires constraint goal chose choose chosen rejected result results means confirmed important note remember changed fixed works done found',
  ],
  [cues.address, "you you're you've your yours"],
  [
    cues.praise,
    'wow awesome amazing congrats congratulations thanks thank glad great cool nice lovely absolutely totally definitely haha hey hi hello bye sure perfect',
  ],
  [
    cues.trouble,
    'error errors failed fails failure exception traceback warning denied missing undefined cannot refused broken bug crash timeout assertion fatal panic',
  ],
];

const cuesBySlot: Uint8Array = (() => {
  const table = new Uint8Array(slotCount);
  for (const [tell, words] of cueWordLists)
    for (const word of words.split(' ')) {
      const at = slotOf(word);
      table[at] = (table[at] ?? 0) | tell;
    }
  return table;
})();

/** The result of one pass over a text. */
export interface TextScan {
  /** The number of words. */
  readonly count: number;
  /** The cues of all its words, combined. */
  readonly cues: number;
  /** Whether its first words are praise or a greeting. */
  readonly opensWithPraise: boolean;
  /** The number of capitalized words within sentences. */
  readonly names: number;
  /** The number of words with a digit, inner capital or sign: numbers, paths, function names. */
  readonly marks: number;
}

/** The maximum number of words in a text of this length. */
export function maxWordsIn(chars: number): number {
  return (chars >> 1) + 1;
}

/** Reads a text once, character by character: regular expressions take ten times as long. Writes the slots of its words into `slots`, starting at `from`. */
export function scanText(text: string, slots: Int32Array, from: number): TextScan {
  let count = 0;
  let all = 0;
  let names = 0;
  let marks = 0;
  let opensWithPraise = false;
  let hash = fnvStart;
  let length = 0;
  let hasCapital = false;
  let isMarked = false;
  let afterStop = true;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 32;
    const kind = code < 256 ? (characterKinds[code] ?? 0) : nonLatinKind(code);
    if ((kind & letter) !== 0 || (length > 0 && (kind & innerMark) !== 0 && isLetterAt(text, at + 1))) {
      if ((kind & capital) !== 0) {
        if (length === 0) hasCapital = true;
        else isMarked ||= !hasCapital;
        hash = Math.imul(hash ^ (code + 32), fnvPrime);
      } else {
        if ((kind & mark) !== 0) isMarked = true;
        hash = Math.imul(hash ^ code, fnvPrime);
      }
      length++;
      continue;
    }
    if (length > 0) {
      const slot = hash & slotMask;
      const tell = cuesBySlot[slot] ?? 0;
      all |= tell;
      if (count < 3 && (tell & cues.praise) !== 0) opensWithPraise = true;
      if (hasCapital && !afterStop && length > 1 && tell === 0) names++;
      if (isMarked) marks++;
      slots[from + count++] = slot;
      afterStop = false;
      hash = fnvStart;
      length = 0;
      hasCapital = false;
      isMarked = false;
    }
    if ((kind & sentenceStop) !== 0) afterStop = true;
  }
  return { count, cues: all, opensWithPraise, names, marks };
}

function slotOf(word: string): number {
  let hash = fnvStart;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  return hash & slotMask;
}

/** Bit flags for the kind of a character. */
const letter = 1;
const capital = 2;
/** A digit or sign, as in numbers, paths and function names. */
const mark = 4;
/** Allowed within a word: apostrophes, and the signs of paths, addresses and versions. */
const innerMark = 8;
/** Ends a sentence. */
const sentenceStop = 16;

const characterKinds: Uint8Array = (() => {
  const table = new Uint8Array(256);
  const add = (kind: number, codes: readonly number[]) => {
    for (const code of codes) table[code] = (table[code] ?? 0) | kind;
  };
  const from = (first: string, last: string) =>
    Array.from({ length: last.charCodeAt(0) - first.charCodeAt(0) + 1 }, (_, at) => first.charCodeAt(0) + at);
  const signs = (text: string) => [...text].map((sign) => sign.charCodeAt(0));
  add(letter, [...from('a', 'z'), ...from('A', 'Z'), ...from('0', '9'), ...signs('_'), ...from('À', 'ÿ')]);
  add(capital, from('A', 'Z'));
  add(mark, [...from('0', '9'), ...signs('./-@')]);
  add(innerMark, signs("'./-@"));
  add(sentenceStop, signs('.!?\n:'));
  return table;
})();

/** Outside Latin, everything but punctuation counts as a letter. */
function nonLatinKind(code: number): number {
  if (code === 0x2019) return innerMark | mark;
  return (code < 0x2000 || code > 0x206f) && (code < 0x3000 || code > 0x303f) ? letter : 0;
}

function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 256 ? ((characterKinds[code] ?? 0) & letter) !== 0 : (nonLatinKind(code) & letter) !== 0;
}
