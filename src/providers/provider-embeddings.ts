import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { limits } from '../kernel/limits.ts';
import type { ProvidedValues, ProviderOfVectors } from '../kernel/ports/embeddings.ts';
import type { Provider } from '../kernel/provider.ts';
import type { Secret } from '../kernel/secret.ts';
import type { Egress } from './egress.ts';

interface ProviderEmbeddingsParts {
  readonly egress: Egress;
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

  #post(input: readonly string[], signal: AbortSignal): Promise<Whole> {
    const { egress, provider, model, credential } = this.#parts;
    const { pool, basePath } = egress.to(provider);
    const authorization = credential === undefined ? [] : provider.authorize(credential);
    return new Promise((resolve, reject) => {
      // Without a connection nobody else would say that this is over.
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      pool.dispatch(
        {
          method: 'POST',
          path: basePath + (provider.embeddingsPath ?? '/embeddings'),
          headers: ['content-type', 'application/json', ...authorization],
          body: JSON.stringify({ model, input, encoding_format: 'float' }),
        },
        gathering({ signal, resolve, reject }),
      );
    });
  }
}

interface Whole {
  readonly status: number;
  readonly text: string;
}

interface Gathering {
  readonly signal: AbortSignal;
  resolve(whole: Whole): void;
  reject(cause: unknown): void;
}

/** Puts a small answer together. */
function gathering({ signal, resolve, reject }: Gathering): Dispatcher.DispatchHandler {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let status = 0;
  return {
    onRequestStart(controller) {
      const abort = () => controller.abort(new Error('nobody waits for it any more'));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    },
    onResponseStart(_, code) {
      status = code;
    },
    onResponseData(controller, piece) {
      bytes += piece.length;
      if (bytes > limits.frameBytesMax) controller.abort(new Error('its answer is too long'));
      else pieces.push(piece);
    },
    onResponseEnd: () => resolve({ status, text: Buffer.concat(pieces).toString() }),
    onResponseError: (_, cause) => reject(cause),
  };
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
