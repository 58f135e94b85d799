import { operatorPays } from '../../kernel/caller.ts';
import type { Framing } from '../../kernel/wire-format.ts';
import { formatHundredths } from '../../lib/format-hundredths.ts';
import { type HeaderList, headerOf } from '../../lib/headers.ts';
import { replaceLimitHeaders } from '../limit-headers.ts';
import type { Delivery } from './delivery.ts';

/** The response headers: those of the provider that still apply, and the gateway's own. */
export function responseHeaders(
  { context, inFlightCall, receipt, payment }: Delivery,
  framing: Framing,
  type?: string,
): string[] {
  const { trace, caller } = inFlightCall.exchange;
  const isGuest = operatorPays(caller);
  const received = isGuest ? [] : filterProviderHeaders(inFlightCall.reply.headers, framing, type);
  const { limitHeaders } = context;
  const headers = limitHeaders === undefined ? received : replaceLimitHeaders(received, limitHeaders);
  if (headerOf(headers, 'content-type') === undefined)
    headers.push('content-type', type ?? contentTypes[framing]);
  if (framing === 'sse') headers.push('x-accel-buffering', 'no');
  // Paid responses have their own cache-control.
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

/** Guests get `x-weir-sandbox` only, and nothing about the operator's limits. */
function guestHeaders(headers: HeaderList): HeaderList {
  const at = headers.indexOf('x-weir-sandbox');
  return at < 0 ? [] : headers.slice(at, at + 2);
}

/** Drops provider headers that do not apply to this framing or would make a proxy buffer a stream. */
function filterProviderHeaders(received: HeaderList, framing: Framing, type: string | undefined): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < received.length; at += 2) {
    const name = received[at] ?? '';
    const value = received[at + 1] ?? '';
    if (name === 'content-type' && (type !== undefined || !matchesFraming(framing, value))) continue;
    if (framing === 'sse' && (name === 'cache-control' || name === 'x-accel-buffering')) continue;
    kept.push(name, value);
  }
  return kept;
}

/** JSON sent with a generic type gets the right one; another specific type, such as HTML, is passed through. */
function matchesFraming(framing: Framing, type: string): boolean {
  if (framing === 'sse') return type.startsWith('text/event-stream');
  return !/^(text\/(event-stream|plain)|application\/octet-stream)/.test(type);
}

export const contentTypes: Readonly<Record<Framing, string>> = {
  json: 'application/json',
  sse: 'text/event-stream; charset=utf-8',
};
