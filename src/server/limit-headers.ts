import type { LimitStatus } from '../kernel/limit-status.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { HeaderList } from '../lib/headers.ts';
import type { RequestContext } from './respond.ts';

/** Adds what is left of a caller's limits to the response to its request. */
export function limitListener(context: RequestContext, wire: WireFormat): (limitStatus: LimitStatus) => void {
  return (limitStatus) => {
    context.limitHeaders = limitHeaders(limitStatus, wire);
  };
}

/** What is left of a caller's limits per minute: in OpenAI's headers, and in those of the client's own format. */
function limitHeaders({ requests, tokens }: LimitStatus, wire: WireFormat): HeaderList {
  const headers: string[] = [];
  for (const [name, minute] of Object.entries({ requests, tokens })) {
    if (minute === undefined) continue;
    headers.push(`x-ratelimit-limit-${name}`, String(minute.limit));
    headers.push(`x-ratelimit-remaining-${name}`, String(minute.remaining));
    headers.push(`x-ratelimit-reset-${name}`, `${minute.resetSeconds}s`);
    headers.push(...(wire.limitHeaders?.(name, minute) ?? []));
  }
  return headers;
}

/** Replaces the provider's own limits: a mixture would make clients wait for the wrong ones. */
export function replaceLimitHeaders(received: HeaderList, own: HeaderList): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < received.length; at += 2) {
    const [name = '', value = ''] = received.slice(at, at + 2);
    if (!providerLimit.test(name)) kept.push(name, value);
  }
  return [...kept, ...own];
}

/** All but the limits of Claude subscriptions, which have no other name. */
const providerLimit = /^(x-ratelimit-|anthropic-ratelimit-(?!unified-))/i;
