import { operatorPays } from '../../kernel/caller.ts';
import { formatHundredths } from '../../kernel/format-hundredths.ts';
import { type HeaderList, headerOf } from '../../kernel/headers.ts';
import type { Framing } from '../../kernel/wire-format.ts';
import type { Delivery } from './delivery.ts';

/** The head of an answer: what the provider said that is still true, and what the gateway has to say. */
export function responseHeaders(
  { context, inFlightCall, receipt, payment }: Delivery,
  framing: Framing,
  type?: string,
): string[] {
  const { trace, caller } = inFlightCall.exchange;
  const isGuest = operatorPays(caller);
  const headers = isGuest ? [] : filterProviderHeaders(inFlightCall.reply.headers, framing, type);
  if (headerOf(headers, 'content-type') === undefined)
    headers.push('content-type', type ?? contentTypes[framing]);
  if (framing === 'sse') headers.push('x-accel-buffering', 'no');
  // Whoever paid gets a word of its own.
  if (framing === 'sse' && payment === undefined) headers.push('cache-control', 'no-cache');
  headers.push('x-request-id', context.id);
  for (const text of context.cors) headers.push(text);
  const modules = trace.steps.length === 0 ? '' : trace.modulesHeader();
  if (modules !== '') headers.push('x-weir-modules', modules);
  if (trace.dropped.length > 0) headers.push('x-weir-dropped', trace.dropped.join(', '));
  for (const text of isGuest ? guestHeaders(trace.moduleHeaders) : trace.moduleHeaders) headers.push(text);
  if (receipt !== undefined) headers.push('x-weir-receipt', receipt.id);
  headers.push('x-weir-cache', trace.cacheHeader(), 'x-weir-overhead-ms', formatHundredths(trace.overheadMs));
  return headers;
}

/** What a call was made of, and nothing of how much the operator has left. */
function guestHeaders(told: HeaderList): HeaderList {
  const at = told.indexOf('x-weir-sandbox');
  return at < 0 ? [] : told.slice(at, at + 2);
}

/** The provider's headers, but for what is not true of this framing or would let a proxy hold a stream back. */
function filterProviderHeaders(given: HeaderList, framing: Framing, type: string | undefined): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < given.length; at += 2) {
    const name = given[at] ?? '';
    const value = given[at + 1] ?? '';
    if (name === 'content-type' && (type !== undefined || !matchesFraming(framing, value))) continue;
    if (framing === 'sse' && (name === 'cache-control' || name === 'x-accel-buffering')) continue;
    kept.push(name, value);
  }
  return kept;
}

/** Documents are also called by names that fit anything; what fits nothing else, like a page, is left as it is. */
function matchesFraming(framing: Framing, type: string): boolean {
  if (framing === 'sse') return type.startsWith('text/event-stream');
  return !/^(text\/(event-stream|plain)|application\/octet-stream)/.test(type);
}

export const contentTypes: Readonly<Record<Framing, string>> = {
  json: 'application/json',
  sse: 'text/event-stream; charset=utf-8',
};
