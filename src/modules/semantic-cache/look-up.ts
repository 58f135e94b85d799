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

/** What a call may wait for all of it together: under 300 ms, with what is done in between. */
const lookUpTimeoutMs = 280;
/** Of the nearest, so many are looked at; the judge is asked about one. */
const candidatesMax = 8;
/** What a fresh entry needs; one that proved itself may be judged with less. */
const provenEntryFactor = 3.3;

export interface CacheMatch {
  readonly id: string;
  readonly part: string;
  readonly answer: CachedAnswer;
  /** How likely it is wrong, by the judge alone and with what was learnt. */
  readonly judgedErrorProbability: number;
  readonly errorProbability: number;
  readonly isServable: boolean;
}

export interface LookUpResult {
  readonly match?: CacheMatch;
  /** Why it wasn't looked for: what is asked isn't to be answered from memory. */
  readonly skipped?: string;
  /** What was missing to look for it. */
  readonly aside?: string;
}

interface LookUpParts {
  readonly answers: CachedAnswers;
  readonly ledger: EvidenceStore;
  readonly prompts: ParsedPromptCache;
}

interface CachedCandidate {
  readonly id: string;
  readonly cosine: number;
  readonly answer: CachedAnswer;
  readonly text: string;
}

/** Looks for an answer to a prompt that means the same. Nothing that it needs can make the call fail or wait for long. */
export async function lookUp(
  { newestPrompt, bypass }: CacheQuery,
  exchange: Exchange,
  kit: Kit<SemanticCacheOptions>,
  { answers, ledger: evidenceStore, prompts }: LookUpParts,
): Promise<LookUpResult> {
  if (newestPrompt === undefined) return { skipped: bypass ?? 'turn' };
  const until = performance.now() + lookUpTimeoutMs;
  const left = () => Math.max(1, until - performance.now());
  const { text, prompt: parsedPrompt, part } = newestPrompt;
  const { error, threshold, tokens_max: tokensMax } = kit.options;
  const embeddingResult = await kit.embeddings.one(text, { use: 'judging', tokensMax, deadlineMs: left() });
  if (embeddingResult.vector === undefined)
    return embeddingResult.why === 'long' ? { skipped: 'long' } : { aside: embeddingResult.why };
  const near = await kit.vectors.search(embeddingResult.vector, {
    part,
    most: candidatesMax,
    least: threshold,
    deadlineMs: left(),
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
    // The judge is another process: what lies around is looked for while it reads.
    const [{ logits, why }, around] = await Promise.all([
      kit.embeddings.sameAnswer([{ before, now: text }], { deadlineMs: left() }),
      kit.vectors.search(embeddingResult.vector, { part, ...neighborhoodSearch, deadlineMs: left() }),
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

/** One at a time: to read eight prompts takes milliseconds, and other calls get their turn in between. */
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

/** For what is stored later, which nobody waits for. */
export const backgroundEmbedding = { use: 'judging', deadlineMs: 15_000 } as const;
