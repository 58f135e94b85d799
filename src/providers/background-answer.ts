import { type Exchange, usedCredentialOf } from '../kernel/exchange.ts';
import type { ReplyEvent } from '../kernel/message.ts';
import { isJsonObject } from '../lib/json.ts';
import { fetchSmallResponse } from './fetch-small-response.ts';
import { RequestHeaderFilter } from './forwarded-headers.ts';
import { requestHeaders } from './request-headers.ts';
import { signRequest, withEgressRecord } from './sign-request.ts';
import type { UpstreamParts } from './upstream.ts';

/** The state of an answer that a provider makes in the background. `gone`: the provider doesn't tell. */
type BackgroundState = { readonly events: readonly ReplyEvent[] } | 'running' | 'gone';

/** Reads an answer that the provider of an exchange makes in the background, with the credential of its call. */
export type ReadBackgroundAnswer = (
  exchange: Exchange,
  id: string,
  signal: AbortSignal,
) => Promise<BackgroundState>;

export function createBackgroundReader({ egress, signing, via }: UpstreamParts): ReadBackgroundAnswer {
  const filter = new RequestHeaderFilter();
  return async (exchange, id, signal) => {
    const { clientRequest, target } = exchange;
    const { wire } = clientRequest;
    const { provider, model } = target;
    if (!answerId.test(id)) return 'gone';
    const [calls = ''] = wire.requestPath(model, false, '').split('?');
    const outbound = {
      provider,
      method: 'GET',
      modelCall: { wire, model, streamed: false },
      path: `${calls}/${id}`,
      headers: requestHeaders(exchange, { wire, via, filter }),
      body: noBytes,
    } as const;
    const { baseUrl, path, headers } = await signRequest(
      outbound,
      usedCredentialOf(exchange),
      withEgressRecord(signing, exchange.trace.egress),
    );
    const endpoint = egress.endpointFor(provider, baseUrl);
    exchange.trace.egress?.addRequest(endpoint.host);
    const request = { method: 'GET', path: endpoint.basePath + path, headers } as const;
    const { status, text } = await fetchSmallResponse(endpoint, request, signal);
    if (status === 429 || status >= 500) return 'running';
    if (status !== 200) return 'gone';
    const answer: unknown = JSON.parse(text);
    if (isJsonObject(answer) && wire.continuation?.background?.isRunning(answer) === true) return 'running';
    const decoder = wire.replyDecoder('json', 'milestones');
    return { events: [...decoder.push(Buffer.from(text)), ...decoder.end()] };
  };
}

const answerId = /^[\w.-]{1,256}$/;
const noBytes = new Uint8Array();
