import type { EmbeddingFailureReason } from '../kernel/ports/embeddings.ts';

/** What the models that run here are asked, one text or one pair at a time. */
export type InferenceRequest =
  | {
      readonly model: 'meaning' | 'tools';
      readonly text: string;
      /** A text with more tokens is told to be long, and not read. */
      readonly tokensMax: number | undefined;
    }
  | { readonly model: 'judge'; readonly before: string; readonly now: string };

export type InferenceResult =
  | { readonly values: Float32Array; readonly tokens: number }
  | { readonly logit: number | undefined }
  | { readonly why: EmbeddingFailureReason };

/** The models that run here, wherever that is. */
export interface InferenceClient {
  /** Never rejects. */
  infer(question: InferenceRequest, deadlineMs: number): Promise<InferenceResult>;
  /** Why they can't be asked now; undefined where they can, or will be with the first question. */
  unavailableReason(): EmbeddingFailureReason | undefined;
  close(): Promise<void>;
}

/** What is said to the process that has the models. */
export interface ModelProcessRequest {
  readonly id: number;
  readonly question: InferenceRequest;
}

/** And what it says. */
export type ModelProcessMessage =
  /** That it can be asked. */
  | { readonly ready: true }
  /** That it can't do this here, now or later, and why. */
  | { readonly unusable: string }
  | { readonly id: number; readonly answer: InferenceResult; readonly tookMs: number }
  /** That this question failed; others may not. */
  | { readonly id: number; readonly fault: string };
