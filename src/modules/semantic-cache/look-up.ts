import { setImmediate } from 'node:timers/promises';
import type { CachedAnswer, CachedAnswers, Exchange, Kit } from '../../module-api.ts';
import type { CacheQuery } from './cache-query.ts';
import {
  type AcceptedCandidate,
  findNearest,
  isWorthJudging,
  judgedErrorProbability,
} from './candidate-selection.ts';
import { correctErrorProbability, isServable, maxErrorProbability } from './error-bound.ts';
import type { EvidenceStore } from './evidence-store.ts';
import { neighborhoodDoubt, neighborhoodSearch } from './neighborhood.ts';
import type { SemanticCacheOptions } from './options.ts';
import type { ParsedPromptCache } from './text/parsed-prompt-cache.ts';
import type { ParsedPrompt } from './text/reading/prompt.ts';

/** The time limit of a lookup: under 300 ms with the work in between. */
const lookUpTimeoutMs = 280;
/** The nearest candidates to consider; the judge scores only one. */
const candidatesMax = 8;
/** How much higher the error probability of a proven entry may be before correction. */
const provenEntryFactor = 3.3;

export interface CacheMatch {
  readonly id: string;
  readonly part: string;
  readonly answer: CachedAnswer;
  /** The error probability by the judge alone, and corrected by evidence. */
  readonly judgedErrorProbability: number;
  readonly errorProbability: number;
  readonly isServable: boolean;
}

export interface LookUpResult {
  readonly match?: CacheMatch;
  /** Why the prompt must not be answered from the cache. */
  readonly skipped?: string;
  /** What failed during the lookup. */
  readonly aside?: string;
}

interface LookUpParts {
  readonly answers: CachedAnswers;
  readonly evidenceStore: EvidenceStore;
  readonly prompts: ParsedPromptCache;
}

interface CachedCandidate {
  readonly id: string;
  readonly cosine: number;
  readonly answer: CachedAnswer;
  readonly text: string;
}

/** Looks up the answer to a prompt with the same meaning. Failures don't fail the call, and the wait is bounded. */
export async function lookUp(
  { newestPrompt, bypass }: CacheQuery,
  exchange: Exchange,
  kit: Kit<SemanticCacheOptions>,
  { answers, evidenceStore, prompts }: LookUpParts,
): Promise<LookUpResult> {
  if (newestPrompt === undefined) return { skipped: bypass ?? 'turn' };
  const deadlineAtMs = performance.now() + lookUpTimeoutMs;
  const leftMs = () => Math.max(1, deadlineAtMs - performance.now());
  const { text, prompt: parsedPrompt, part } = newestPrompt;
  const { error, threshold, tokens_max: tokensMax } = kit.options;
  const embeddingResult = await kit.embeddings.one(text, { use: 'judging', tokensMax, deadlineMs: leftMs() });
  if (embeddingResult.vector === undefined)
    return embeddingResult.why === 'long' ? { skipped: 'long' } : { aside: embeddingResult.why };
  const near = await kit.vectors.search(embeddingResult.vector, {
    part,
    most: candidatesMax,
    least: threshold,
    deadlineMs: leftMs(),
  });
  if (near.found === undefined) return { aside: near.why };
  const candidates = await Promise.all(
    near.found.map(async ({ id, cosine }): Promise<CachedCandidate | undefined> => {
      const answer = await answers.find(kit.cache, id, exchange.clientRequest);
      const old = answer?.metadata.text;
      return answer !== undefined && typeof old === 'string' ? { id, cosine, answer, text: old } : undefined;
    }),
  );
  const acceptedCandidate = await findNearestCandidate(
    parsedPrompt,
    candidates.filter((one) => one !== undefined),
    prompts,
  );
  if (acceptedCandidate === undefined) return {};
  const { doubt } = acceptedCandidate;
  const { id, cosine, answer, text: before } = acceptedCandidate.candidate;
  const entry = await evidenceStore.getEntry(kit.cache, id);
  if (entry.closed) return { skipped: 'closed' };
  let judged = acceptedCandidate.wrong;
  if (judged === undefined) {
    if (!isWorthJudging({ cosine, doubt }, provenEntryFactor * maxErrorProbability(error))) return {};
    // The judge runs in another process, so the neighborhood is searched in parallel.
    const [{ logits, why }, around] = await Promise.all([
      kit.embeddings.sameAnswer([{ before, now: text }], { deadlineMs: leftMs() }),
      kit.vectors.search(embeddingResult.vector, { part, ...neighborhoodSearch, deadlineMs: leftMs() }),
    ]);
    const [logit] = logits ?? [];
    if (logit === undefined) return why === undefined ? { skipped: 'long' } : { aside: why };
    if (around.found === undefined) return { aside: around.why };
    judged = judgedErrorProbability({
      logit,
      cosine,
      doubt: doubt + neighborhoodDoubt(cosine, around.found),
    });
  }
  const errorProbability = correctErrorProbability(judged, {
    scope: await evidenceStore.getScope(kit.scope, kit.store),
    entry,
  });
  return {
    match: {
      id,
      part,
      answer,
      judgedErrorProbability: judged,
      errorProbability,
      isServable: isServable(errorProbability, error),
    },
  };
}

/** One at a time: parsing eight prompts takes milliseconds, so it yields to other calls in between. */
async function findNearestCandidate(
  parsedPrompt: ParsedPrompt,
  candidates: readonly CachedCandidate[],
  prompts: ParsedPromptCache,
): Promise<AcceptedCandidate<CachedCandidate> | undefined> {
  for (const cachedCandidate of candidates) {
    const acceptedCandidate = findNearest(parsedPrompt, [cachedCandidate], prompts);
    if (acceptedCandidate !== undefined) return acceptedCandidate;
    await setImmediate();
  }
  return undefined;
}

/** For storing answers in the background. */
export const backgroundEmbedding = { use: 'judging', deadlineMs: 15_000 } as const;
