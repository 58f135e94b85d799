import { GatewayError, isRejection } from '../kernel/errors.ts';
import { credentialsOf, type Exchange } from '../kernel/exchange.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { Secret } from '../lib/secret.ts';
import { readErrorResponse, readWholeResponse, type WholeResponse } from './error-response.ts';
import { RequestHeaderFilter } from './forwarded-headers.ts';
import { buildOutboundRequest, wireFor } from './outbound-request.ts';
import { requestBody } from './request-body.ts';
import { requestHeaders } from './request-headers.ts';
import { send } from './send-request.ts';
import { signRequest } from './sign-request.ts';
import type { UpstreamParts } from './upstream.ts';

/** The provider's own token count: its original response for a client of its format, else the number. */
export type ProviderTokenCount = { readonly answer: WholeResponse } | { readonly tokens: number };

/** Sends a request to the provider's token counter, by the same rules; undefined if it has none. */
export function createTokenCounter({
  egress,
  signing,
  via,
}: UpstreamParts): (exchange: Exchange) => Promise<ProviderTokenCount | undefined> {
  const filter = new RequestHeaderFilter();
  return async (exchange) => {
    const { target, clientRequest } = exchange;
    const { provider, model } = target;
    const wire = wireFor(exchange);
    const { counting: tokenCounting } = wire;
    if (provider.hasTokenCounting === undefined || tokenCounting === undefined) return undefined;
    const own = clientRequest.wire === wire;
    const paying = await findCredential(exchange, own);
    if (paying === undefined) return undefined;
    const { credential } = paying;
    const headers = requestHeaders(exchange, { wire, via, filter });
    const path = tokenCounting.requestPath(model, own ? clientRequest.query : '');
    const call = requestBody(exchange, wire, undefined);
    const body = own
      ? call
      : Buffer.from(JSON.stringify(tokenCounting.encodeRequest(parseJsonObject(call), model)));
    const signed = await signRequest(
      buildOutboundRequest(exchange, wire, { path, headers, body }),
      credential,
      signing,
    );
    const providerResponse = await send(exchange, egress, { wire, signed });
    if (providerResponse.status >= 300) throw await readErrorResponse(providerResponse, target, signed);
    const answer = await readWholeResponse(providerResponse, target);
    if (own) return { answer };
    const tokens = tokenCounting.readCount(parseJsonObject(answer.bytes));
    if (typeof tokens !== 'number')
      throw new GatewayError('upstream_broken', `${provider.title} answered without a token count`);
    return { tokens };
  };
}

/** A client of the provider's own format gets an error for a missing key; others get an estimate, which needs none. */
async function findCredential(
  exchange: Exchange,
  own: boolean,
): Promise<{ readonly credential: Secret | undefined } | undefined> {
  try {
    return { credential: await credentialsOf(exchange).find(exchange.target) };
  } catch (refusal) {
    if (!own && isRejection(refusal)) return undefined;
    throw refusal;
  }
}

function parseJsonObject(bytes: Uint8Array): JsonObject {
  const read: unknown = parseJsonOrUndefined(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) ? read : {};
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
