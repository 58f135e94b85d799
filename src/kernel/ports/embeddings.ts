/** Texts as vectors: what means about the same lies close together. Nothing here throws; what can't be had says why. */
export interface Embeddings {
  state(): EmbeddingsState;
  one(text: string, asking?: EmbeddingOptions): Promise<EmbeddingResult>;
  /** In the order of the texts, all or none. */
  many(texts: readonly string[], asking?: EmbeddingOptions): Promise<EmbeddingBatchResult>;
  /** For each pair how sure the judge is that one answer serves both; it reads English, and knows nothing but the two texts. */
  sameAnswer(pairs: readonly TextPair[], asking?: JudgeOptions): Promise<JudgeResult>;
}

export interface EmbeddingsState {
  /** What makes vectors: `local`, `off`, or a provider and its model. */
  readonly source: string;
  /** Why there are none now; undefined where there are, or will be with the first use. */
  readonly why: EmbeddingFailureReason | undefined;
  /** The same of the models that run here whatever the source is: the judge and the one for tools. */
  readonly whyNotLocal: EmbeddingFailureReason | undefined;
}

/**
 * - `off`: the operator switched them off.
 * - `missing`: what they need isn't installed, or not for this platform.
 * - `starting`: the process that makes them is about to be ready.
 * - `down`: it failed, and rests before it is started again; or the provider that was asked failed.
 * - `busy`: more is waiting than can be done in time.
 * - `late`: it took longer than whoever asked could wait.
 * - `long`: a text has more tokens than were allowed.
 */
export type EmbeddingFailureReason = 'off' | 'missing' | 'starting' | 'down' | 'busy' | 'late' | 'long';

export interface EmbeddingOptions {
  /**
   * - `meaning`: for texts of people, by whatever the operator chose; this unless said.
   * - `tools`: for ranking tools by a request; runs here.
   * - `judging`: the cosine that the judge's score is made with; runs here, the same as `meaning` where that is local.
   */
  readonly use?: VectorUse;
  /** 300 ms unless said. Who can't wait for as long as a start takes is told `starting` at once. */
  readonly deadlineMs?: number;
  /** A text with more tokens is `long`; without this, of a longer text windows are read and averaged. */
  readonly tokensMax?: number;
  /**
   * Vectors of these texts are kept for good, by a hash of the text, for all accounts: for texts that are nobody's secret.
   * Only for vectors that are made here.
   */
  readonly isPublic?: true;
  readonly signal?: AbortSignal;
  /** Whose text it is, which the kit says: what is remembered for one, another can't tell by the time that it takes. */
  readonly scope?: string;
}

type VectorUse = 'meaning' | 'tools' | 'judging';

export type JudgeOptions = Pick<EmbeddingOptions, 'deadlineMs' | 'signal'>;

/** A direction, with the space that it is of: vectors of different spaces can't be compared. */
export interface Vector {
  /** The model's name and the number of values: `minilm-l6-v2-int8/384`. */
  readonly space: string;
  /** Of length 1. */
  readonly values: Float32Array;
}

export type EmbeddingResult =
  | { readonly vector: Vector; readonly tokens: number; readonly why?: undefined }
  | EmbeddingFailure;

export type EmbeddingBatchResult =
  | { readonly vectors: readonly Vector[]; readonly tokens: readonly number[]; readonly why?: undefined }
  | EmbeddingFailure;

export interface EmbeddingFailure {
  readonly vector?: undefined;
  readonly vectors?: undefined;
  readonly tokens?: undefined;
  readonly logits?: undefined;
  readonly why: EmbeddingFailureReason;
}

/** A text that was answered before, and one that is to be answered. */
export interface TextPair {
  readonly before: string;
  readonly now: string;
}

export type JudgeResult =
  | {
      /** Undefined where a side is longer than the judge can read. */
      readonly logits: readonly (number | undefined)[];
      readonly why?: undefined;
    }
  | EmbeddingFailure;

/** Somebody else who makes vectors. */
export interface EmbeddingProvider {
  /** Never rejects. Values in the order of the texts, of any length. */
  embed(texts: readonly string[], deadlineMs: number): Promise<EmbeddingProviderResult>;
  /** Why it can't be asked; undefined as far as is known. */
  unavailableReason(): EmbeddingFailureReason | undefined;
}

export type EmbeddingProviderResult =
  | { readonly model: string; readonly values: readonly Float32Array[]; readonly why?: undefined }
  | { readonly values?: undefined; readonly why: EmbeddingFailureReason };
