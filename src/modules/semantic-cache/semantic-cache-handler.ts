import {
  answererOf,
  type CachedAnswer,
  CachedAnswers,
  type Clock,
  type Exchange,
  formatUsd,
  type Handler,
  type Kit,
  type Reply,
  savingOf,
} from '../../module-api.ts';
import { createCacheQuery } from './cache-query.ts';
import { EvidenceStore } from './evidence-store.ts';
import { lookUp } from './look-up.ts';
import type { SemanticCacheOptions } from './options.ts';
import { compareLater } from './shadow-comparison.ts';
import { storeAnswer } from './store-answer.ts';
import { ParsedPromptCache } from './text/parsed-prompt-cache.ts';

/** Answers from the cache, or calls the provider and stores the answer. */
export class SemanticCacheHandler {
  readonly #answers = new CachedAnswers();
  readonly #prompts = new ParsedPromptCache();
  readonly #evidence: EvidenceStore;
  readonly #random: () => number;

  constructor(clock: Clock, random: () => number) {
    this.#evidence = new EvidenceStore(clock);
    this.#random = random;
  }

  async handle(exchange: Exchange, next: Handler, kit: Kit<SemanticCacheOptions>): Promise<Reply> {
    const [answers, evidenceStore, prompts] = [this.#answers, this.#evidence, this.#prompts];
    const cacheQuery = await createCacheQuery(exchange, kit, prompts);
    const same = await answers.find(kit.cache, cacheQuery.key, exchange.clientRequest);
    if (same !== undefined) return serveCachedAnswer(same, 1, exchange, kit);
    const { match, ...attributes } = await lookUp(cacheQuery, exchange, kit, {
      answers,
      evidenceStore,
      prompts,
    });
    if (match?.isServable === true && this.#random() >= kit.options.shadow)
      return serveCachedAnswer(match.answer, 1 - match.errorProbability, exchange, kit);
    kit.note({ miss: true, ...attributes, ...(match?.isServable === true && { shadow: true }) });
    const reply = await next(exchange);
    storeAnswer(reply, cacheQuery, exchange, { kit, answers, evidenceStore });
    if (match?.isServable === true) compareLater(reply, match, { kit, evidenceStore, exchange });
    return reply;
  }
}

function serveCachedAnswer(
  kept: CachedAnswer,
  p: number,
  exchange: Exchange,
  kit: Kit<SemanticCacheOptions>,
): Reply {
  const { from } = kept.metadata;
  const answerer = answererOf(kept, exchange, kit.models);
  const saved = savingOf(kept, answerer, kit.catalog);
  kit.addSaving(saved);
  kit.note({
    hit: true,
    p: String(Number(p.toFixed(3))),
    saved: formatUsd(saved),
    ...(typeof from === 'string' && { from }),
  });
  return kit.replay(kept.recording, answerer, kept.metadata);
}
