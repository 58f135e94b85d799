import { z } from 'zod';
import type { ProviderEgress } from '../egress/provider-egress.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { EmbeddingProvider, EmbeddingProviderResult } from '../kernel/ports/embeddings.ts';
import type { Provider } from '../kernel/provider.ts';
import type { OutboundRequest, SigningContext } from '../kernel/signing.ts';
import type { Secret } from '../lib/secret.ts';
import { fetchSmallResponse, type SmallResponse } from './fetch-small-response.ts';
import { limits } from './limits.ts';
import { signRequest } from './sign-request.ts';

interface ProviderEmbeddingsParts {
  readonly egress: ProviderEgress;
  readonly signing: SigningContext;
  readonly provider: Provider;
  readonly model: string;
  readonly credential: Secret | undefined;
  /** Called on the first failure after a success. */
  onFailure(how: string): void;
}

const embeddingsResponseSchema = z.object({
  data: z.array(
    z.object({ index: z.int(), embedding: z.array(z.number()).max(kernelLimits.vectorValuesMax) }),
  ),
});

/** Embeddings from a provider with OpenAI's embeddings API, paid for by the operator. */
export class ProviderEmbeddings implements EmbeddingProvider {
  readonly #parts: ProviderEmbeddingsParts;
  #isFailing = false;

  constructor(parts: ProviderEmbeddingsParts) {
    this.#parts = parts;
  }

  unavailableReason(): 'down' | undefined {
    return this.#isFailing ? 'down' : undefined;
  }

  async embed(texts: readonly string[], deadlineMs: number): Promise<EmbeddingProviderResult> {
    if (texts.length > limits.embeddedAtOnce) return { why: 'busy' };
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const { status, text } = await this.#post(texts, signal);
      if (status === 429) return { why: 'busy' };
      if (status !== 200)
        throw new Error(`the provider answered ${status}: ${text.slice(0, limits.quotedTextMax)}`);
      const values = parseVectors(text, texts.length);
      this.#isFailing = false;
      return { model: `${this.#parts.provider.name}/${this.#parts.model}`, values };
    } catch (thrown) {
      if (signal.aborted) return { why: 'late' };
      if (!this.#isFailing) this.#parts.onFailure(thrown instanceof Error ? thrown.message : String(thrown));
      this.#isFailing = true;
      return { why: 'down' };
    }
  }

  async #post(input: readonly string[], signal: AbortSignal): Promise<SmallResponse> {
    const { egress, signing, provider, model, credential } = this.#parts;
    const outboundRequest: OutboundRequest = {
      provider,
      method: 'POST',
      path: provider.endpoints?.embeddings ?? '/embeddings',
      headers: ['content-type', 'application/json'],
      body: Buffer.from(JSON.stringify({ model, input, encoding_format: 'float' })),
    };
    const { baseUrl, path, headers, body } = await signRequest(outboundRequest, credential, signing);
    const endpoint = egress.endpointFor(provider, baseUrl);
    const request = { method: 'POST', path: endpoint.basePath + path, headers, body } as const;
    return fetchSmallResponse(endpoint, request, signal);
  }
}

/** Unit vectors in the order of the texts. */
function parseVectors(text: string, count: number): readonly Float32Array[] {
  const { data } = embeddingsResponseSchema.parse(JSON.parse(text));
  const values = data
    .toSorted((one, other) => one.index - other.index)
    .map(({ embedding }) => toUnitVector(embedding));
  const [first] = values;
  if (values.length !== count || first === undefined || values.some(({ length }) => length !== first.length))
    throw new Error('the number or size of the returned vectors does not match');
  return values;
}

function toUnitVector(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  if (!(length > 0)) throw new Error('the provider returned a zero vector');
  return Float32Array.from(values, (value) => value / length);
}
