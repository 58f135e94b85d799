/** Computes vectors of texts; similar meanings are close together. Never throws: failures return a reason. */
export interface Embeddings {
  state(): EmbeddingsState;
  one(text: string, asking?: EmbeddingOptions): Promise<EmbeddingResult>;
  /** In the order of the texts, all or none. */
  many(texts: readonly string[], asking?: EmbeddingOptions): Promise<EmbeddingBatchResult>;
  /** For each pair, the confidence that one answer fits both; the judge reads English and sees only the two texts. */
  sameAnswer(pairs: readonly TextPair[], asking?: JudgeOptions): Promise<JudgeResult>;
}

export interface EmbeddingsState {
  /** The source of vectors: `local`, `off`, or a provider and its model. */
  readonly source: string;
  /** Why none are available now; undefined if they are, or will be on first use. */
  readonly why: EmbeddingFailureReason | undefined;
  /** The same for the models that always run locally: the judge and the one for tools. */
  readonly whyNotLocal: EmbeddingFailureReason | undefined;
}

/**
 * - `off`: the operator switched them off.
 * - `missing`: a dependency isn't installed, or not for this platform.
 * - `starting`: the embedding process is not ready yet.
 * - `down`: the process failed and waits for its restart, or the provider failed.
 * - `busy`: the queue is too long.
 * - `late`: it took longer than the deadline.
 * - `long`: a text has more tokens than allowed.
 * - `redacted`: the call's pipeline keeps content from providers, or has an airgap, and the source is a provider.
 */
export type EmbeddingFailureReason =
  | 'off'
  | 'missing'
  | 'starting'
  | 'down'
  | 'busy'
  | 'late'
  | 'long'
  | 'redacted';

export interface EmbeddingOptions {
  /**
   * - `meaning`: for texts of people, with the source that the operator chose; the default.
   * - `tools`: for ranking tools by a request; runs locally.
   * - `judging`: for the cosine in the judge's score; runs locally, the same as `meaning` if that is local.
   */
  readonly use?: VectorUse;
  /** 300 ms by default. With less time than a start takes, fails at once with `starting`. */
  readonly deadlineMs?: number;
  /** Texts with more tokens fail with `long`; by default, longer texts are averaged over windows. */
  readonly tokensMax?: number;
  /**
   * Stores the vectors permanently for all accounts, by a hash of the text: for public texts only, and only for
   * locally computed vectors.
   */
  readonly isPublic?: true;
  /** Fails at once with `late` if more texts than this are not cached: computing them would take too long. */
  readonly missingMax?: number;
  readonly signal?: AbortSignal;
  /** Whether the call's pipeline keeps content from providers of embeddings, set by the kit. */
  readonly isRedacted?: boolean;
  /** The tenant, set by the kit: timing must not reveal the cached texts of another tenant. */
  readonly scope?: string;
}

type VectorUse = 'meaning' | 'tools' | 'judging';

export type JudgeOptions = Pick<EmbeddingOptions, 'deadlineMs' | 'signal'>;

/** A unit vector with its space: vectors of different spaces can't be compared. */
export interface Vector {
  /** The model's name and the dimensions: `minilm-l6-v2-int8/384`. */
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

/** A text that was answered before, and one to be answered. */
export interface TextPair {
  readonly before: string;
  readonly now: string;
}

export type JudgeResult =
  | {
      /** Undefined if a side is longer than the judge can read. */
      readonly logits: readonly (number | undefined)[];
      readonly why?: undefined;
    }
  | EmbeddingFailure;

/** An external source of vectors. */
export interface EmbeddingProvider {
  /** Never rejects. Values in the order of the texts, of any length. */
  embed(texts: readonly string[], deadlineMs: number): Promise<EmbeddingProviderResult>;
  /** Why it can't be used; undefined if it can, as far as known. */
  unavailableReason(): EmbeddingFailureReason | undefined;
}

export type EmbeddingProviderResult =
  | { readonly model: string; readonly values: readonly Float32Array[]; readonly why?: undefined }
  | { readonly values?: undefined; readonly why: EmbeddingFailureReason };
