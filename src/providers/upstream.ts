import type { ProviderEgress } from '../egress/provider-egress.ts';
import type { UpstreamAttempt } from '../kernel/attempt.ts';
import { credentialsOf, type Exchange, setUsedCredential } from '../kernel/exchange.ts';
import { choosesOutputLimit } from '../kernel/output-limit.ts';
import type { Target } from '../kernel/provider.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { SigningContext } from '../kernel/signing.ts';
import { awaitFirstContent } from './await-first-content.ts';
import { readErrorResponse } from './error-response.ts';
import { RequestHeaderFilter } from './forwarded-headers.ts';
import { isRefusal } from './is-refusal.ts';
import { buildOutboundRequest, isStreamed, wireFor } from './outbound-request.ts';
import { readDocument } from './read-document.ts';
import { rejectErrorDocument } from './reject-error-document.ts';
import { requestBody, usageFieldsFor, withOutputLimit } from './request-body.ts';
import { requestHeaders } from './request-headers.ts';
import { send } from './send-request.ts';
import { signRequest, withEgressRecord } from './sign-request.ts';
import { createSocketSender } from './sockets/send-over-socket.ts';

export interface UpstreamParts {
  readonly egress: ProviderEgress;
  readonly signing: SigningContext;
  /** Marks requests that came through this gateway, to detect loops. */
  readonly via: string;
  /** The model's output limit, if known. */
  outputTokensMax?(target: Target): number | undefined;
}

/** Sends an exchange to its provider, notes the progress of the attempt, and resolves when the reply starts. */
export type Upstream = (exchange: Exchange, attempt: UpstreamAttempt) => Promise<Reply>;

export function createUpstream({ egress, signing, via, outputTokensMax }: UpstreamParts): Upstream {
  const filter = new RequestHeaderFilter();
  const sendOverSocket = createSocketSender(egress);
  return async (exchange, attempt) => {
    const { target, trace } = exchange;
    const { provider } = target;
    const credential = await credentialsOf(exchange).find(target);
    setUsedCredential(exchange, credential);
    const leftAt = performance.now();
    try {
      if (provider.answerLocally !== undefined)
        return Reply.stream(provider.answerLocally(exchange.request, exchange.signal));
      const wire = wireFor(exchange);
      trace.providerWire = wire.name;
      const question = usageFieldsFor(exchange, wire);
      const headers = requestHeaders(exchange, { wire, via, filter, attempt });
      const query = exchange.clientRequest.wire === wire ? exchange.clientRequest.query : '';
      const path = wire.requestPath(target.model, isStreamed(exchange), query);
      const limited = choosesOutputLimit(exchange)
        ? withOutputLimit(outputTokensMax?.(target), exchange)
        : exchange;
      const body = requestBody(limited, wire, question);
      trace.recorder?.onSent({ provider: provider.name, model: target.model, wire: wire.name, body });
      exchange.clientRequest.releaseParsed();
      const signed = await signRequest(
        buildOutboundRequest(exchange, wire, { path, headers, body }),
        credential,
        withEgressRecord(signing, trace.egress),
      );
      const sent = { wire, signed, progress: attempt };
      const answer = (await sendOverSocket(exchange, sent)) ?? (await send(exchange, egress, sent));
      const providerResponse: ProviderResponse =
        question === undefined && exchange.attemptLimit === undefined
          ? answer
          : {
              ...answer,
              ...(question !== undefined && { usageRequested: true }),
              ...(exchange.attemptLimit !== undefined && { isRouted: true }),
            };
      if (providerResponse.status >= 300) throw await readErrorResponse(providerResponse, target, signed);
      const answered =
        providerResponse.framing === 'sse'
          ? await awaitFirstContent(providerResponse, {
              wantsStream: isStreamed(exchange),
              limit: exchange.attemptLimit,
            })
          : providerResponse;
      return Reply.relay(answered.framing === 'json' ? await checkDocument(answered, exchange) : answered);
    } finally {
      trace.providerMs += performance.now() - leftAt;
    }
  };
}

/** Finds an error in a document that came instead of a stream, and a refusal if a module wants to know. */
async function checkDocument(document: ProviderResponse, exchange: Exchange): Promise<ProviderResponse> {
  const { attemptLimit } = exchange;
  const noticesRefusals = attemptLimit?.noticesRefusals === true;
  if (!isStreamed(exchange) && !noticesRefusals) return document;
  const read = await readDocument(document);
  if (isStreamed(exchange)) rejectErrorDocument(read);
  if (noticesRefusals) attemptLimit.isRefused = read.events?.some(isRefusal) === true;
  return read.response;
}
