import { hash } from 'node:crypto';
import type {
  InjectionOptions,
  InjectionScore,
  TaggedWord,
  TaggingResult,
  TextModelOptions,
  TextModels,
  UnreadReason,
} from '../kernel/ports/text-models.ts';
import { Lru } from '../lib/lru.ts';
import type { InferenceClient, InferenceRequest, InferenceResult } from './inference.ts';
import { limits } from './limits.ts';
import { mayHaveNames } from './may-have-names.ts';

/** What was read of a text. */
interface Reading {
  /** Where the next window begins; the text's length if all of it was read. */
  readonly position: number;
  readonly windows: number;
  /** Whether a part was skipped for its script. */
  readonly isOtherScript: boolean;
}

interface TaggedText extends Reading {
  readonly words: readonly TaggedWord[];
  /** The end of the last window. */
  readonly end: number;
}

interface ScoredText extends Reading {
  readonly logit: number | undefined;
  /** Of the window with the highest logit. */
  readonly start: number;
}

/** Reads texts window by window, one at a time, so that a long text doesn't hold up other calls. */
export class LocalTextModels implements TextModels {
  readonly #models: InferenceClient;
  readonly #tagged = new Lru<TaggedText>(limits.rememberedReadingsMax, ({ words }) => 1 + words.length);
  readonly #scored = new Lru<ScoredText>(limits.rememberedReadingsMax);

  constructor(models: InferenceClient) {
    this.#models = models;
  }

  async tagEntities(text: string, options: TextModelOptions = {}): Promise<TaggingResult> {
    const isLong = text.length > limits.taggedAlwaysCharacters;
    const { reading, why } = await this.#read<TaggedText>(text, options, {
      remembered: this.#tagged,
      name: 'entities',
      start: { ...unread, words: [], end: 0 },
      canRead: (part) => latinLetter.test(part),
      isWorthReading: (part) => !isLong || mayHaveNames(part),
      ask: (part) => ({ model: 'entities', text: part }),
      add(before, answer) {
        if (!('words' in answer)) return undefined;
        const { position } = before;
        // Of two windows, the one in which a word is farther from the edge has seen more around it.
        const middle = (position + before.end) / 2;
        const words = [
          ...before.words.filter(({ start }) => start < Math.max(middle, position)),
          ...answer.words.map((word) => shiftWord(word, position)).filter(({ start }) => start >= middle),
        ];
        return { reading: { ...before, words, end: position + answer.end }, next: answer.next };
      },
    });
    return { words: reading.words, why };
  }

  async scoreInjection(text: string, options: InjectionOptions): Promise<InjectionScore> {
    const { isThirdParty } = options;
    const { reading, why } = await this.#read<ScoredText>(text, options, {
      remembered: this.#scored,
      name: isThirdParty ? 'injection by others' : 'injection',
      start: { ...unread, logit: undefined, start: 0 },
      canRead: isMostlyLatin,
      isWorthReading: () => true,
      ask: (part) => ({ model: 'injection', text: part, isThirdParty }),
      add(before, answer) {
        if (!('logit' in answer)) return undefined;
        const { logit, next } = answer;
        const isHigher = logit !== undefined && logit > (before.logit ?? Number.NEGATIVE_INFINITY);
        return { reading: isHigher ? { ...before, logit, start: before.position } : before, next };
      },
    });
    const { logit, start } = reading;
    return { logit, start, end: Math.min(text.length, start + limits.windowCharacters), why };
  }

  /** Continues where the last request for this text ended. */
  async #read<Result extends Reading>(
    text: string,
    { deadlineMs = limits.embeddingDeadlineMs, scope = '' }: TextModelOptions,
    task: ReadingTask<Result>,
  ): Promise<{ readonly reading: Result; readonly why: UnreadReason | undefined }> {
    const endsAtMs = performance.now() + deadlineMs;
    const key = hash('sha256', `${task.name}\n${scope}\n${text}`, 'base64');
    let reading = task.remembered.get(key) ?? task.start;
    let failure: UnreadReason | undefined;
    while (reading.position < text.length && failure === undefined) {
      const next = await this.#readWindow(text, reading, task, endsAtMs);
      if (typeof next === 'string') failure = next;
      else reading = next;
    }
    if (reading !== task.start) task.remembered.set(key, reading);
    return { reading, why: failure ?? (reading.isOtherScript ? 'script' : undefined) };
  }

  async #readWindow<Result extends Reading>(
    text: string,
    before: Result,
    { canRead, isWorthReading, ask, add }: ReadingTask<Result>,
    endsAtMs: number,
  ): Promise<Result | UnreadReason> {
    const { position } = before;
    const near = text.slice(position, position + limits.windowCharacters);
    if (!canRead(near))
      return {
        ...before,
        position: position + near.length,
        isOtherScript: before.isOtherScript || letter.test(near),
      };
    if (!isWorthReading(near)) return { ...before, position: position + lengthOfWords(near) };
    if (before.windows >= limits.windowsMax) return 'long';
    const leftMs = Math.floor(endsAtMs - performance.now());
    if (leftMs <= 0) return 'late';
    const part = text.slice(position, position + limits.windowCharactersMax);
    const answer = await this.#models.infer(ask(part), leftMs);
    if ('why' in answer) return answer.why === 'redacted' ? 'down' : answer.why;
    const added = add(before, answer);
    if (added === undefined) return 'down';
    return {
      ...added.reading,
      position: position + (added.next ?? part.length),
      windows: before.windows + 1,
    };
  }
}

interface ReadingTask<Result extends Reading> {
  readonly remembered: Lru<Result>;
  /** Separates the results of one model from another's. */
  readonly name: string;
  readonly start: Result;
  canRead(part: string): boolean;
  isWorthReading(part: string): boolean;
  ask(part: string): InferenceRequest;
  /** Undefined if it is no answer to `ask`. */
  add(
    before: Result,
    answer: InferenceResult,
  ): { readonly reading: Result; readonly next: number | undefined } | undefined;
}

const unread = { position: 0, windows: 0, isOtherScript: false };

function shiftWord(word: TaggedWord, by: number): TaggedWord {
  return { ...word, start: word.start + by, end: word.end + by };
}

/** Up to the last space, which the next part begins with. */
function lengthOfWords(part: string): number {
  const space = part.length < limits.windowCharacters ? -1 : part.lastIndexOf(' ');
  return space <= 0 ? part.length : space;
}

/** The injection model can't read a text with more letters of other scripts. */
function isMostlyLatin(part: string): boolean {
  const letters = part.match(/\p{L}/gu)?.length ?? 0;
  const latin = part.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin > 0 && latin >= letters * 0.7;
}

const letter = /\p{L}/u;
const latinLetter = /\p{Script=Latin}/u;
