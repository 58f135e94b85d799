import {
  checkPrompt,
  findNearest,
  isWorthJudging,
  judgedErrorProbability,
} from '../../../src/modules/semantic-cache/candidate-selection.ts';
import { neighborhoodDoubt, neighborhoodSearch } from '../../../src/modules/semantic-cache/neighborhood.ts';
import { ParsedPromptCache } from '../../../src/modules/semantic-cache/text/parsed-prompt-cache.ts';
import type { CachedModels } from './models.ts';

interface StoredQuestion {
  readonly key: string;
  readonly text: string;
  readonly vector: Float32Array;
}

/** What a prompt would be answered with, and how likely that is wrong. */
export interface Offer {
  readonly key: string;
  readonly text: string;
  readonly wrong: number;
}

const candidatesMax = 8;
const leastCosine = 0.8;
/** Of the loosest setting that is looked at. */
const wrongMax = 0.6;
const options = { current: 'bypass' } as const;

/** A cache as the module has it, without a gateway around it: the same reading, the same vetoes, the same models. */
export class EvaluatedCache {
  readonly #models: CachedModels;
  readonly #stored: StoredQuestion[] = [];
  readonly #prompts = new ParsedPromptCache();

  constructor(models: CachedModels) {
    this.#models = models;
  }

  async store(key: string, text: string): Promise<void> {
    if (checkPrompt(text, options, this.#prompts).prompt === undefined) return;
    const vector = await this.#models.vector(text);
    if (vector !== undefined) this.#stored.push({ key, text, vector });
  }

  async ask(text: string): Promise<Offer | undefined> {
    const same = this.#stored.find((one) => one.text === text);
    if (same !== undefined) return { key: same.key, text, wrong: 0 };
    const { prompt: parsedPrompt } = checkPrompt(text, options, this.#prompts);
    const vector = parsedPrompt === undefined ? undefined : await this.#models.vector(text);
    if (parsedPrompt === undefined || vector === undefined) return undefined;
    const around = this.#stored
      .map((one) => ({ ...one, cosine: product(one.vector, vector) }))
      .filter(({ cosine }) => cosine >= neighborhoodSearch.least)
      .sort((one, other) => other.cosine - one.cosine)
      .slice(0, neighborhoodSearch.most);
    const near = around.filter(({ cosine }) => cosine >= leastCosine).slice(0, candidatesMax);
    const acceptedCandidate = findNearest(parsedPrompt, near, this.#prompts);
    if (acceptedCandidate === undefined) return undefined;
    const { key, text: before, cosine } = acceptedCandidate.candidate;
    if (acceptedCandidate.wrong !== undefined) return { key, text: before, wrong: acceptedCandidate.wrong };
    const { doubt } = acceptedCandidate;
    if (!isWorthJudging({ cosine, doubt }, wrongMax)) return undefined;
    const logit = await this.#models.logit(before, text);
    const wrong = judgedErrorProbability({ logit, cosine, doubt: doubt + neighborhoodDoubt(cosine, around) });
    return { key, text: before, wrong };
  }
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
