import type { ChatRequest } from '../../kernel/message.ts';
import type { Target } from '../../kernel/provider.ts';
import { wiresOf } from '../../kernel/provider.ts';
import { checkRequestShape } from '../../wire/check-request-shape.ts';
import { limits } from '../limits.ts';
import { mediaRuleFor } from './media-tokens.ts';
import { buildPrompt } from './prompt.ts';
import { templateFor } from './prompt-template.ts';
import { sampleTexts } from './sample-texts.ts';
import { Tokenizer } from './tokenizer.ts';

/** Estimates the tokens of a request for models whose provider has no token counter. */
export class TokenEstimator {
  readonly #tokenizer = new Tokenizer();

  async estimate(request: ChatRequest, { provider, model }: Target): Promise<number> {
    checkRequestShape(request);
    if (provider.countTokens !== undefined) return provider.countTokens(request);
    const [wire] = wiresOf({ provider, model });
    const { textGroups, fixedTokens } = buildPrompt(
      request,
      templateFor(model, wire?.name),
      mediaRuleFor(model, wire?.name),
    );
    const counts = await Promise.all(textGroups.map(({ texts }) => this.#count(texts)));
    const read = textGroups.reduce((sum, { scale }, at) => sum + scale * (counts[at] ?? 0), 0);
    return Math.max(1, Math.round(read + fixedTokens));
  }

  /** The same for several targets; those that lay a request out in the same way share a count. */
  async estimateAll(request: ChatRequest, targets: readonly Target[]): Promise<readonly number[]> {
    const counts = new Map<string, Promise<number>>();
    return Promise.all(
      targets.map((target) => {
        const layout = layoutName(target);
        const count = counts.get(layout) ?? this.estimate(request, target);
        counts.set(layout, count);
        return count;
      }),
    );
  }

  /** Starts its thread, for a process that may not do so later. */
  startThread(): void {
    this.#tokenizer.start();
  }

  async close(): Promise<void> {
    await this.#tokenizer.close();
  }

  /** Uses only the length while too many counts wait for the tokenizer. */
  async #count(texts: readonly string[]): Promise<number> {
    if (this.#tokenizer.pendingCounts >= limits.pendingTokenCountsMax)
      return texts.reduce((chars, text) => chars + text.length, 0) / charsPerToken;
    const { texts: sample, factor } = sampleTexts(texts, limits.tokenizedCharsMax);
    return factor * (await this.#tokenizer.count(sample));
  }
}

function layoutName({ provider, model }: Target): string {
  if (provider.countTokens !== undefined) return provider.name;
  const wire = wiresOf({ provider, model })[0]?.name;
  return JSON.stringify([templateFor(model, wire), mediaRuleFor(model, wire)]);
}

const charsPerToken = 4;
