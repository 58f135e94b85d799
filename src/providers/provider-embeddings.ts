import { z } from 'zod';
import type { Draft, Means } from '../kernel/departure.ts';
import { limits } from '../kernel/limits.ts';
import type { ProvidedValues, ProviderOfVectors } from '../kernel/ports/embeddings.ts';
import type { Provider } from '../kernel/provider.ts';
import type { Secret } from '../kernel/secret.ts';
import { departureOf } from './departure.ts';
import type { Egress } from './egress.ts';
import { type SmallAnswer, smallAnswer } from './small-answer.ts';

interface ProviderEmbeddingsParts {
  readonly egress: Egress;
  readonly means: Means;
  readonly provider: Provider;
  readonly model: string;
  readonly credential: Secret | undefined;
  /** Told when it begins to fail. */
  onTrouble(how: string): void;
}

const answered = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).max(limits.vectorValuesMax) })),
});

/** Vectors of a provider with OpenAI's embeddings API, paid for by the operator. */
export class ProviderEmbeddings implements ProviderOfVectors {
  readonly #parts: ProviderEmbeddingsParts;
  #fails = false;

  constructor(parts: ProviderEmbeddingsParts) {
    this.#parts = parts;
  }

  why(): 'down' | undefined {
    return this.#fails ? 'down' : undefined;
  }

  async ask(texts: readonly string[], deadlineMs: number): Promise<ProvidedValues> {
    if (texts.length > limits.embeddedAtOnce) return { why: 'busy' };
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const { status, text } = await this.#post(texts, signal);
      if (status === 429) return { why: 'busy' };
      if (status !== 200) throw new Error(`it answered ${status}: ${text.slice(0, limits.quotedTextMax)}`);
      const values = valuesIn(text, texts.length);
      this.#fails = false;
      return { model: `${this.#parts.provider.name}/${this.#parts.model}`, values };
    } catch (thrown) {
      if (signal.aborted) return { why: 'late' };
      if (!this.#fails) this.#parts.onTrouble(thrown instanceof Error ? thrown.message : String(thrown));
      this.#fails = true;
      return { why: 'down' };
    }
  }

  async #post(input: readonly string[], signal: AbortSignal): Promise<SmallAnswer> {
    const { egress, means, provider, model, credential } = this.#parts;
    const draft: Draft = {
      provider,
      method: 'POST',
      path: provider.embeddingsPath ?? '/embeddings',

      headers: ['content-type', 'application/json'],
      body: Buffer.from(JSON.stringify({ model, input, encoding_format: 'float' })),
    };
    const { baseUrl, path, headers, body } = await departureOf(draft, credential, means);
    const { pool, basePath } = egress.to(provider, baseUrl);
    return smallAnswer(pool, { method: 'POST', path: basePath + path, headers, body }, signal);
  }
}

/** In the order of the texts, each of length 1. */
function valuesIn(text: string, count: number): readonly Float32Array[] {
  const { data } = answered.parse(JSON.parse(text));
  const values = data
    .toSorted((one, other) => one.index - other.index)
    .map(({ embedding }) => unit(embedding));
  const [first] = values;
  if (values.length !== count || first === undefined || values.some(({ length }) => length !== first.length))
    throw new Error('it answered with other vectors than those that were asked for');
  return values;
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  if (!(length > 0)) throw new Error('it answered with a vector that has no direction');
  return Float32Array.from(values, (value) => value / length);
}
