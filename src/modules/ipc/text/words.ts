/** What a word tells of the sentence that it stands in. */
export const tells = { self: 1, time: 2, decision: 4, address: 8, praise: 16, trouble: 32 } as const;

/** A table with a slot for each hash of a word; two words in one slot do little harm. */
const slotBits = 18;
export const slotCount = 1 << slotBits;
const slotMask = slotCount - 1;
/** Of FNV-1a. */
const fnvStart = 0x811c9dc5;
const fnvPrime = 0x01000193;

const lists: readonly (readonly [number, string])[] = [
  [tells.self, "i i'm i've i'd i'll my mine we we're we've our ours me us"],
  [
    tells.time,
    'yesterday today tomorrow tonight last next ago week weeks month months year years weekend monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december since recently morning evening birthday anniversary',
  ],
  [
    tells.decision,
    'decided decide decision agreed agree must should shall need needs needed because instead therefore plan planned planning todo open remaining later prefer prefers always never only except require required requires constraint goal chose choose chosen rejected result results means confirmed important note remember changed fixed works done found',
  ],
  [tells.address, "you you're you've your yours"],
  [
    tells.praise,
    'wow awesome amazing congrats congratulations thanks thank glad great cool nice lovely absolutely totally definitely haha hey hi hello bye sure perfect',
  ],
  [
    tells.trouble,
    'error errors failed fails failure exception traceback warning denied missing undefined cannot refused broken bug crash timeout assertion fatal panic',
  ],
];

const told: Uint8Array = (() => {
  const table = new Uint8Array(slotCount);
  for (const [tell, words] of lists)
    for (const word of words.split(' ')) {
      const at = slotOf(word);
      table[at] = (table[at] ?? 0) | tell;
    }
  return table;
})();

/** What a pass over a text finds in it. */
export interface Scanned {
  /** How many words it has. */
  readonly count: number;
  /** All that its words tell, together. */
  readonly tells: number;
  /** Whether its first words are praise or a greeting. */
  readonly opensWithPraise: boolean;
  /** Names: words with a capital inside of a sentence. */
  readonly names: number;
  /** Words with a digit, with a capital or a sign inside: numbers, paths, names of functions. */
  readonly marks: number;
}

/** As many words as there can be in so many characters. */
export function wordsMax(chars: number): number {
  return (chars >> 1) + 1;
}

/** Reads a text once, character by character: regular expressions take ten times as long. The slots of its words go into `slots`, from there on. */
export function scanned(text: string, slots: Int32Array, from: number): Scanned {
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
    const isLetter = isLetterCode(code);
    if (isLetter || (length > 0 && isInside(code) && isLetterCode(text.charCodeAt(at + 1)))) {
      if (code >= 65 && code <= 90) {
        if (length === 0) hasCapital = true;
        else isMarked ||= !hasCapital;
      } else if (!isLetter || code < 65) isMarked ||= code !== 39;
      hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), fnvPrime);
      length++;
      continue;
    }
    if (length > 0) {
      const slot = hash & slotMask;
      const tell = told[slot] ?? 0;
      all |= tell;
      if (count < 3 && (tell & tells.praise) !== 0) opensWithPraise = true;
      if (hasCapital && !afterStop && length > 1 && tell === 0) names++;
      if (isMarked) marks++;
      slots[from + count++] = slot;
      afterStop = false;
      hash = fnvStart;
      length = 0;
      hasCapital = false;
      isMarked = false;
    }
    if (code === 46 || code === 33 || code === 63 || code === 10 || code === 58) afterStop = true;
  }
  return { count, tells: all, opensWithPraise, names, marks };
}

function slotOf(word: string): number {
  let hash = fnvStart;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  return hash & slotMask;
}

/** Digits, Latin letters, and everything beyond punctuation in the rest of Unicode. */
function isLetterCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    (code >= 0xc0 && (code < 0x2000 || code > 0x206f) && (code < 0x3000 || code > 0x303f))
  );
}

/** What may stand inside of a word: apostrophes, and the signs of paths, addresses and versions. */
function isInside(code: number): boolean {
  return code === 39 || code === 0x2019 || code === 46 || code === 47 || code === 45 || code === 64;
}
