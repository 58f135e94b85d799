import type { EmbeddingFailureReason } from './embeddings.ts';

/**
 * Local models that read texts for personal data and for prompt injection. Never throws: what wasn't read has a reason.
 * Results are remembered for each tenant, so that a text is read once; a text that wasn't read to its end is continued by
 * the next request.
 */
export interface TextModels {
  /** Finds words that are part of names, places and other personal data, in the order of the text. */
  tagEntities(text: string, options?: TextModelOptions): Promise<TaggingResult>;
  /** Scores whether a text tries to change the rules that a model works by. */
  scoreInjection(text: string, options: InjectionOptions): Promise<InjectionScore>;
}

export interface TextModelOptions {
  /** 300 ms by default. With less time than a start takes, fails at once with `starting`. */
  readonly deadlineMs?: number;
  /** The tenant, set by the kit: timing must not reveal the texts of another tenant. */
  readonly scope?: string;
}

export interface InjectionOptions extends TextModelOptions {
  /** Whether it is content that neither the user nor the operator wrote: a tool result, a document, a description of a tool. */
  readonly isThirdParty: boolean;
}

export interface TaggingResult {
  readonly words: readonly TaggedWord[];
  /** Why not all of the text was read; undefined if it was. */
  readonly why: UnreadReason | undefined;
}

/** A word or punctuation mark, with its position in the text in UTF-16 units. */
export interface TaggedWord {
  readonly start: number;
  readonly end: number;
  readonly label: EntityLabel;
  /** Whether an entity begins with it; else it may continue the one before. */
  readonly begins: boolean;
  /** The probability that it is part of no entity: up to .9. The model's card advises .5 as the limit. */
  readonly outside: number;
}

/** In the order of the model's outputs. */
export const entityLabels = [
  'PERSON',
  'LOCATION',
  'ADDRESS',
  'ORGANIZATION',
  'DATE',
  'DATE_OF_BIRTH',
  'AGE',
  'NATIONALITY',
  'PHONE',
  'NATIONAL_ID',
  'USERNAME',
] as const;

export type EntityLabel = (typeof entityLabels)[number];

export interface InjectionScore {
  /** The highest of the text's windows, between -4 and 4 and no probability; undefined if none was read. */
  readonly logit: number | undefined;
  /** About where the window with the highest logit is. */
  readonly start: number;
  readonly end: number;
  /** Why not all of the text was read; undefined if it was. */
  readonly why: UnreadReason | undefined;
}

/**
 * Why a text or the rest of it was not read.
 * - `long`: it is longer than the models read in one call.
 * - `script`: a part is written in a script that the models can't read.
 * - else as for embeddings.
 */
export type UnreadReason = Exclude<EmbeddingFailureReason, 'redacted'> | 'script';
