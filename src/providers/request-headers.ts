import type { UpstreamAttempt } from '../kernel/attempt.ts';
import { type ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { createSpanId, formatTraceParent } from '../kernel/trace-parent.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import { type HeaderList, headerOf, headerValuesOf } from '../lib/headers.ts';
import type { RequestHeaderFilter } from './forwarded-headers.ts';

interface HeaderParts {
  readonly wire: ProviderFormat;
  readonly via: string;
  readonly filter: RequestHeaderFilter;
  /** Undefined for a request that is not an attempt. */
  readonly attempt?: UpstreamAttempt;
}

export function requestHeaders(exchange: Exchange, { wire, via, filter, attempt }: HeaderParts): string[] {
  const { clientRequest } = exchange;
  const clientHeaders = rawHeadersOf(clientRequest);
  const own =
    clientRequest.wire === wire
      ? withOwnHeaders(filter.filter(clientHeaders), wire.ownHeaders)
      : [...wire.ownHeaders];
  const headers = exchange.isUnmodified ? own : (wire.headersFor?.(exchange.request, own) ?? own);
  const passedBy = headerValuesOf(clientHeaders, 'via');
  headers.push(
    'accept-encoding',
    'identity',
    'via',
    passedBy.length === 0 ? via : [...passedBy, via].join(', '),
  );
  if (clientRequest.wire === wire) continueTrace(clientRequest, attempt, headers);
  else headers.push('content-type', 'application/json');
  return headers;
}

/** Adds the headers that the provider requires and the client didn't send. */
function withOwnHeaders(headers: string[], required: HeaderList): string[] {
  for (let at = 0; at + 1 < required.length; at += 2) {
    const name = required[at] ?? '';
    if (headerOf(headers, name) === undefined) headers.push(name, required[at + 1] ?? '');
  }
  return headers;
}

/** Adds the client's trace context, with the span of the attempt in place of the client's. */
function continueTrace(
  { traceParent }: ClientRequest,
  attempt: UpstreamAttempt | undefined,
  headers: string[],
): void {
  if (traceParent === undefined) return;
  headers.push('traceparent', formatTraceParent(traceParent, attempt?.spanId ?? createSpanId()));
  if (traceParent.tracestate !== undefined) headers.push('tracestate', traceParent.tracestate);
}
