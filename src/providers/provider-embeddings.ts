import { z } from 'zod';
import type { ProviderEgress } from '../egress/provider-egress.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { EmbeddingProvider, EmbeddingProviderResult } from '../kernel/ports/embeddings.ts';
import type { Provider } from '../kernel/provider.ts';
import type { EndpointForm } from '../kernel/relay.ts';
import type { OutboundRequest, SigningContext } from '../kernel/signing.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
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

  /** The provider's own API, if it isn't OpenAI's. */
  get #form(): EndpointForm | undefined {
    const form = this.#parts.provider.endpointForms?.embeddings;
    return form?.isNeeded === undefined ? form : undefined;
  }

  unavailableReason(): 'down' | undefined {
    return this.#isFailing ? 'down' : undefined;
  }

  async embed(texts: readonly string[], deadlineMs: number): Promise<EmbeddingProviderResult> {
    if (texts.length > limits.embeddedAtOnce) return { why: 'busy' };
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const request = { model: this.#parts.model, input: texts, encoding_format: 'float' };
      const { status, text } = await this.#post(this.#form?.encode?.(request) ?? request, signal);
      if (status === 429) return { why: 'busy' };
      if (status !== 200)
        throw new Error(`the provider answered ${status}: ${text.slice(0, limits.quotedTextMax)}`);
      const answer: unknown = JSON.parse(text);
      const decoded = isJsonObject(answer) ? this.#form?.decode?.(answer, request) : undefined;
      const values = parseVectors(decoded ?? answer, texts.length);
      this.#isFailing = false;
      return { model: `${this.#parts.provider.name}/${this.#parts.model}`, values };
    } catch (thrown) {
      if (signal.aborted) return { why: 'late' };
      if (!this.#isFailing) this.#parts.onFailure(thrown instanceof Error ? thrown.message : String(thrown));
      this.#isFailing = true;
      return { why: 'down' };
    }
  }

  async #post(request: JsonObject, signal: AbortSignal): Promise<SmallResponse> {
    const { egress, signing, provider, credential } = this.#parts;
    const outboundRequest: OutboundRequest = {
      provider,
      method: 'POST',
      path: provider.endpoints?.embeddings ?? '/embeddings',
      headers: ['content-type', 'application/json'],
      body: Buffer.from(JSON.stringify(request)),
    };
    const { baseUrl, path, headers, body } = await signRequest(outboundRequest, credential, signing);
    const endpoint = egress.endpointFor(provider, baseUrl);
    const signed = { method: 'POST', path: endpoint.basePath + path, headers, body } as const;
    return fetchSmallResponse(endpoint, signed, signal);
  }
}

/** Unit vectors in the order of the texts. */
function parseVectors(answer: unknown, count: number): readonly Float32Array[] {
  const { data } = embeddingsResponseSchema.parse(answer);
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
