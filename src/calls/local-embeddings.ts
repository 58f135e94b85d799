import { scopeOf } from '../kernel/caller.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { EmbeddingFailureReason, Embeddings } from '../kernel/ports/embeddings.ts';
import type { JsonObject } from '../lib/json.ts';
import { requireTexts } from '../wire/endpoints/embedding-forms.ts';
import { packVector, vectorAnswer, wantsBase64 } from '../wire/endpoints/vectors.ts';
import { limits } from './limits.ts';

/** Serves `/v1/embeddings` with the local model. */
export function localEmbeddings(
  embeddings: Pick<Embeddings, 'many'>,
): (body: JsonObject, exchange: Exchange) => Promise<JsonObject> {
  return async (body, { signal, caller }) => {
    const texts = requireTexts(body, 'This model');
    requireDimensions(body);
    checkLengths(texts);
    const vectors: unknown[] = [];
    let tokens = 0;
    // In steps, so that a long list leaves room in the queue for other calls.
    for (let at = 0; at < texts.length; at += limits.localTextsAtOnce) {
      const result = await embeddings.many(texts.slice(at, at + limits.localTextsAtOnce), {
        use: 'judging',
        deadlineMs: limits.localEmbeddingsMs,
        scope: scopeOf(caller),
        signal,
      });
      if (result.why !== undefined) throw unavailableError(result.why, signal);
      for (const { values } of result.vectors)
        vectors.push(wantsBase64(body) ? packVector(values) : [...values]);
      for (const count of result.tokens) tokens += count;
    }
    return vectorAnswer({ vectors, model: body.model, tokens });
  };
}

function requireDimensions({ dimensions }: JsonObject): void {
  if (dimensions == null || dimensions === modelDimensions) return;
  throw new GatewayError('invalid_request', `vectors of this model have ${modelDimensions} dimensions`, {
    param: 'dimensions',
  });
}

const modelDimensions = 384;

function checkLengths(texts: readonly string[]): void {
  if (texts.length > limits.localTextsMax)
    throw new GatewayError('invalid_request', `this model takes ${limits.localTextsMax} texts at once`, {
      param: 'input',
    });
  const at = texts.findIndex(({ length }) => length > limits.localTextCharactersMax);
  if (at >= 0)
    throw new GatewayError(
      'invalid_request',
      `text ${at + 1} is longer than ${limits.localTextCharactersMax} characters, which is all that this model reads`,
      { param: 'input' },
    );
}

function unavailableError(why: EmbeddingFailureReason, signal: AbortSignal): GatewayError {
  if (signal.aborted) return new GatewayError('client_gone', 'the client closed the connection');
  if (why === 'off' || why === 'missing')
    return new GatewayError(
      'not_found',
      why === 'off'
        ? 'the local model is switched off on this gateway'
        : 'the local model is not installed on this gateway',
    );
  return new GatewayError('busy', 'the local model is busy; try again', { retryAfterSeconds: 1 });
}
