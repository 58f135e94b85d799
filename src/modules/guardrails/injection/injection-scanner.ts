import { setImmediate } from 'node:timers/promises';
import type { Kit, RequestText, TextField, TextPlace, UnreadReason } from '../../../module-api.ts';
import { limits } from '../limits.ts';
import { TextMemory } from '../text-memory.ts';
import { type Author, findCues } from './cues.ts';
import { readableForms } from './readable-forms.ts';

/** Whether a text tries to change the rules that the model works by. */
export interface InjectionResult {
  readonly isFlagged: boolean;
  /** The model's logit and the weights of cues, less the limit for such a text: flagged from 0. */
  readonly score: number;
  /** The names of the cues. */
  readonly cues: readonly string[];
}

export interface InjectionScan {
  /** For each text, in the order of the texts; undefined for those that aren't scanned. */
  readonly results: readonly (InjectionResult | undefined)[];
  /** Why the model didn't read all of some text; undefined if it did. */
  readonly why: UnreadReason | undefined;
}

interface ScanOptions extends Pick<Kit<unknown>, 'scope' | 'textModels'> {
  /** For all texts together. */
  readonly deadlineMs: number;
}

/** Scans texts of users, and those of third parties: results of tools, documents and descriptions of tools. */
export class InjectionScanner {
  readonly #memory = new TextMemory<RememberedScan>(limits.rememberedCharactersMax);

  /** The last texts are read first: they are the newest. */
  async scan(texts: readonly RequestText[], options: ScanOptions): Promise<InjectionScan> {
    const endsAtMs = performance.now() + options.deadlineMs;
    const results: (InjectionResult | undefined)[] = texts.map(() => undefined);
    let why: UnreadReason | undefined;
    for (const [at, { text, ...place }] of [...texts.entries()].reverse()) {
      const author = authorOf(place);
      if (author === undefined || text.trim() === '') continue;
      const owner = `${author} ${options.scope}`;
      const before = this.#memory.get(owner, text);
      const scanned =
        before !== undefined && isFinal(before)
          ? before
          : await scanInPieces(text, author, { ...options, endsAtMs, attempts: (before?.attempts ?? 0) + 1 });
      results[at] = scanned.result;
      why ??= scanned.why;
      if (scanned !== before) this.#memory.set(owner, text, scanned);
    }
    return { results, why };
  }
}

interface TextScan {
  readonly result: InjectionResult;
  readonly why: UnreadReason | undefined;
}

interface RememberedScan extends TextScan {
  /** How often it was scanned. */
  readonly attempts: number;
}

/** A text that the model didn't read is scanned once more. */
function isFinal({ why, attempts }: RememberedScan): boolean {
  return why === undefined || why === 'script' || attempts > 1;
}

interface PieceOptions extends ScanOptions {
  readonly endsAtMs: number;
  readonly attempts: number;
}

/** Other calls go on between the pieces of a long text. */
async function scanInPieces(
  text: string,
  author: Author,
  { endsAtMs, attempts, ...options }: PieceOptions,
): Promise<RememberedScan> {
  let result: InjectionResult = { isFlagged: false, score: harmlessLogit, cues: [] };
  let why: UnreadReason | undefined;
  for (let start = 0; start < text.length; ) {
    if (start > 0) await setImmediate();
    const end = endOfPiece(text, start);
    const deadlineMs = Math.max(0, endsAtMs - performance.now());
    const scanned = await scanText(text.slice(start, end), author, { ...options, deadlineMs });
    why ??= scanned.why;
    if (start === 0 || scanned.result.score > result.score) result = scanned.result;
    start = end;
  }
  return { result, why, attempts };
}

/** At the end of a line or a word, if there is one. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceCharacters;
  if (end >= text.length) return text.length;
  const piece = text.slice(start, end + 1);
  const breakAt = start + Math.max(piece.lastIndexOf('\n'), piece.lastIndexOf(' '));
  return breakAt > start ? breakAt + 1 : end;
}

/** Some milliseconds' work. */
const pieceCharacters = 16_384;

/** Undefined for what the operator or the model has written. */
function authorOf({ field, role }: TextPlace): Author | undefined {
  if (field === 'message') return role === 'user' ? 'user' : undefined;
  return thirdPartyFields.has(field) ? 'third party' : undefined;
}

const thirdPartyFields: ReadonlySet<TextField> = new Set(['tool-result', 'tool-description', 'document']);

/** The score from which a text is flagged. A long text is more often high by chance: it has more windows and more words. */
const limitsByAuthor: Readonly<Record<Author, { readonly short: number; readonly long: number }>> = {
  user: { short: -0.5, long: 3.3 },
  'third party': { short: 2.5, long: 3 },
};
const longCharacters = 450;

async function scanText(
  text: string,
  author: Author,
  { textModels, deadlineMs }: ScanOptions,
): Promise<TextScan> {
  const isThirdParty = author === 'third party';
  const { visible, decoded, disguised } = readableForms(text);
  const endsAtMs = performance.now() + deadlineMs;
  let why: UnreadReason | undefined;
  let best: InjectionResult | undefined;
  for (const form of [visible, ...decoded]) {
    const options = { isThirdParty, deadlineMs: Math.max(0, endsAtMs - performance.now()) };
    const model = hasFewWords(form) ? undefined : await textModels.scoreInjection(form, options);
    why ??= model?.why;
    const result = judge(form, author, model?.logit);
    if (best === undefined || result.score > best.score) best = result;
  }
  for (const form of disguised) {
    const result = judge(form, author, undefined);
    // Only what is disguised counts: the rest of the text was judged above.
    if (result.cues.length > 0 && result.score > (best?.score ?? 0)) best = result;
  }
  return { result: best ?? { isFlagged: false, score: harmlessLogit, cues: [] }, why };
}

/** Of names, codes and commands the model can't tell anything; cues still count. */
function hasFewWords(text: string): boolean {
  return text.length < fewWordsCharacters && (text.match(/\p{L}+/gu)?.length ?? 0) < wordsMin;
}

const wordsMin = 4;
const fewWordsCharacters = 60;

function judge(text: string, author: Author, logit = harmlessLogit): InjectionResult {
  const cues = findCues(text, author);
  const weight = cues.reduce((sum, cue) => sum + cue.weight, 0);
  const { short, long } = limitsByAuthor[author];
  const score = text.length > longCharacters ? logit + weight / 2 - long : logit + weight - short;
  return { isFlagged: score >= 0, score, cues: cues.map(({ name }) => name) };
}

/** What the model says of harmless texts; stands for texts that it can't read. */
const harmlessLogit = -4;
