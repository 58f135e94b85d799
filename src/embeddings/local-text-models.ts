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
import { cutText } from './split-text.ts';

/** A part of a text that is read at once. */
interface Section {
  readonly text: string;
  readonly start: number;
}

/** What was read of a text. */
interface Reading {
  /** Sections that need not be read again. */
  readonly sections: number;
  /** Whether one was skipped for its script. */
  readonly isOtherScript: boolean;
  readonly isComplete: boolean;
}

interface TaggedText extends Reading {
  readonly words: readonly TaggedWord[];
}

interface ScoredText extends Reading, Pick<InjectionScore, 'logit' | 'start' | 'end'> {}

/** Reads texts section by section, one at a time, so that a long text doesn't hold up other calls. */
export class LocalTextModels implements TextModels {
  readonly #models: InferenceClient;
  readonly #tagged = new Lru<TaggedText>(limits.rememberedReadingsMax, ({ words }) => 1 + words.length);
  readonly #scored = new Lru<ScoredText>(limits.rememberedReadingsMax);

  constructor(models: InferenceClient) {
    this.#models = models;
  }

  async tagEntities(text: string, options: TextModelOptions = {}): Promise<TaggingResult> {
    const { reading, why } = await this.#read<TaggedText>(text, options, {
      remembered: this.#tagged,
      name: 'entities',
      start: { ...unread, words: [] },
      sections: () => sectionsForTagging(text),
      canRead: (section) => latinLetter.test(section),
      ask: (section) => ({ model: 'entities', text: section }),
      add(before, { start }, answer) {
        if (!('words' in answer)) return undefined;
        const found = answer.words.map((word) => ({
          ...word,
          start: word.start + start,
          end: word.end + start,
        }));
        return found.length === 0 ? before : { ...before, words: [...before.words, ...found] };
      },
    });
    return { words: reading.words, why };
  }

  async scoreInjection(text: string, options: InjectionOptions): Promise<InjectionScore> {
    const { isThirdParty } = options;
    const { reading, why } = await this.#read<ScoredText>(text, options, {
      remembered: this.#scored,
      name: isThirdParty ? 'injection by others' : 'injection',
      start: { ...unread, logit: undefined, start: 0, end: 0 },
      sections: () => overlappingSections(text),
      canRead: isMostlyLatin,
      ask: (section) => ({ model: 'injection', text: section, isThirdParty }),
      add(before, { start, text }, answer) {
        if (!('logit' in answer)) return undefined;
        const { logit } = answer;
        if (logit === undefined || logit <= (before.logit ?? Number.NEGATIVE_INFINITY)) return before;
        return { ...before, logit, start, end: start + text.length };
      },
    });
    return { logit: reading.logit, start: reading.start, end: reading.end, why };
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
    if (!reading.isComplete) {
      const all = task.sections();
      const sections = all.slice(0, limits.sectionsMax);
      for (const section of sections.slice(reading.sections)) {
        const next = await this.#readSection(section, reading, task, endsAtMs);
        if (typeof next === 'string') {
          failure = next;
          break;
        }
        reading = { ...next, sections: reading.sections + 1 };
      }
      if (failure === undefined && sections.length < all.length) failure = 'long';
      else if (failure === undefined) reading = { ...reading, isComplete: true };
      if (reading !== task.start) task.remembered.set(key, reading);
    }
    return { reading, why: failure ?? (reading.isOtherScript ? 'script' : undefined) };
  }

  async #readSection<Result extends Reading>(
    section: Section,
    before: Result,
    { canRead, ask, add }: ReadingTask<Result>,
    endsAtMs: number,
  ): Promise<Result | UnreadReason> {
    if (!canRead(section.text))
      return letter.test(section.text) ? { ...before, isOtherScript: true } : before;
    const leftMs = Math.floor(endsAtMs - performance.now());
    if (leftMs <= 0) return 'late';
    const answer = await this.#models.infer(ask(section.text), leftMs);
    if ('why' in answer) return answer.why === 'redacted' ? 'down' : answer.why;
    return add(before, section, answer) ?? 'down';
  }
}

interface ReadingTask<Result extends Reading> {
  readonly remembered: Lru<Result>;
  /** Separates the results of one model from another's. */
  readonly name: string;
  readonly start: Result;
  sections(): readonly Section[];
  canRead(section: string): boolean;
  ask(section: string): InferenceRequest;
  /** Undefined if it is no answer to `ask`. */
  add(before: Result, section: Section, answer: InferenceResult): Result | undefined;
}

const unread = { sections: 0, isOtherScript: false, isComplete: false };

function sectionsForTagging(text: string): readonly Section[] {
  const cuts = cutText(text, limits.sectionCharacters);
  const sections = cuts.slice(1).map((end, at) => sectionOf(text, cuts[at] ?? 0, end));
  if (sections.length <= limits.sectionsReadAlways) return sections;
  return sections.filter((section) => mayHaveNames(section.text));
}

/** Each begins in the middle of the one before, so that an attack is seen as a whole. */
function overlappingSections(text: string): readonly Section[] {
  if (text.length <= limits.sectionCharacters) return text === '' ? [] : [sectionOf(text, 0, text.length)];
  const cuts = cutText(text, limits.sectionCharacters / 2);
  return cuts.slice(2).map((end, at) => sectionOf(text, cuts[at] ?? 0, end));
}

function sectionOf(text: string, start: number, end: number): Section {
  return { text: text.slice(start, end), start };
}

/** The injection model can't read a text with more letters of other scripts. */
function isMostlyLatin(section: string): boolean {
  const letters = section.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return false;
  const latin = section.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin >= letters * 0.7;
}

const letter = /\p{L}/u;
const latinLetter = /\p{Script=Latin}/u;
