import type { EmbeddingFailureReason } from '../kernel/ports/embeddings.ts';
import type { TaggedWord } from '../kernel/ports/text-models.ts';

/** A request to a local model: one text or its first window, or one pair for the judge. */
export type InferenceRequest =
  | {
      readonly model: 'meaning' | 'tools';
      readonly text: string;
      /** A text with more tokens is rejected as `long`. */
      readonly tokensMax: number | undefined;
    }
  | { readonly model: 'judge'; readonly before: string; readonly now: string }
  /** These read the first window of a text. */
  | { readonly model: 'entities'; readonly text: string }
  | { readonly model: 'injection'; readonly text: string; readonly isThirdParty: boolean };

export type InferenceResult =
  | { readonly values: Float32Array; readonly tokens: number }
  | { readonly logit: number | undefined; readonly next?: number | undefined }
  /** `end` of the window, and where the next begins: before that, or undefined if the text has no other. */
  | { readonly words: readonly TaggedWord[]; readonly end: number; readonly next: number | undefined }
  | { readonly why: EmbeddingFailureReason };

/** Access to the local models, in this process or another. */
export interface InferenceClient {
  /** Never rejects. */
  infer(question: InferenceRequest, deadlineMs: number): Promise<InferenceResult>;
  /** Why they are unavailable; undefined if they are ready or start with the first request. */
  unavailableReason(): EmbeddingFailureReason | undefined;
  close(): Promise<void>;
}

/** A message to the model process. */
export interface ModelProcessRequest {
  readonly id: number;
  readonly question: InferenceRequest;
}

/** A message from the model process. */
export type ModelProcessMessage =
  /** It accepts requests. */
  | { readonly ready: true }
  /** It can't run on this machine, with the reason. */
  | { readonly unusable: string }
  | { readonly id: number; readonly answer: InferenceResult; readonly tookMs: number }
  /** This request failed; others may succeed. */
  | { readonly id: number; readonly fault: string };
