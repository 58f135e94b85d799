import type { Exchange } from '../kernel/exchange.ts';
import type { RelayRoute } from '../kernel/relay.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { Source } from '../kernel/reply/source.ts';
import type { Framing, ReplyDecoder, WireFormat } from '../kernel/wire-format.ts';
import { headerOf } from '../lib/headers.ts';
import { JsonReplyDecoder } from './json-reply-decoder.ts';
import { readFieldFromTail } from './json-tail.ts';
import { objectOf, stringOf } from './json-values.ts';
import { RelayStreamDecoder } from './relay-stream-decoder.ts';

/** A relay route as a wire format of its own: errors are those of `format`, and answers are only searched for usage. */
export function createRelayFormat(format: WireFormat, route: RelayRoute): WireFormat {
  const { continuation, usageOptIn, layout, socket, reframe, session, parentSession, counting, ...shared } =
    format;
  return {
    ...shared,
    name: route.endpoint,
    routes: [],
    ...(route.bodySchema !== undefined && { bodySchema: route.bodySchema }),
    estimates: { ...format.estimates, requestTokens: 0, textTokens: 0, textFields: route.textFields ?? [] },
    replyDecoder: (framing) => relayDecoder(route, framing, 'application/json'),
  };
}

/** Finds the usage in an answer, without holding a long one in memory. */
export function relayDecoder(
  { usageOf, isUsageAlone }: RelayRoute,
  framing: Framing,
  contentType: string,
): ReplyDecoder {
  if (framing === 'sse' || !isJsonType(contentType) || usageOf === undefined)
    return new RelayStreamDecoder(framing === 'sse' ? usageOf : undefined);
  const reader = {
    read: () => undefined,
    summarize: (body) => ({ stop_reason: null, usage: usageOf(body) ?? {} }),
    summarizeTail: (json) => {
      const usage = objectOf(readFieldFromTail(json, 'usage', 1));
      return { stop_reason: null, usage: (usage && usageOf({ usage })) ?? {} };
    },
    ...(isUsageAlone === true && {
      summarizeEnd: (json: string) => {
        const usage = objectOf(readFieldFromTail(json, 'usage', 1));
        const model = stringOf(readFieldFromTail(json, 'model', 1));
        const counts = usage && usageOf({ usage });
        return counts && model !== undefined ? { model, stop_reason: null, usage: counts } : undefined;
      },
    }),
  } as const satisfies ConstructorParameters<typeof JsonReplyDecoder>[0];
  return new JsonReplyDecoder(reader, 'milestones');
}

/** The same answer of a relay with other bytes. */
export function changeRelayAnswer(
  { status, headers, framing = 'json' }: Reply,
  body: Source<Uint8Array>,
  { clientRequest, relay }: Exchange,
): Reply {
  if (relay === undefined) throw new Error('this call is not a relay');
  const contentType = headerOf(headers, 'content-type') ?? '';
  return Reply.relay({
    ...{ wire: clientRequest.wire, framing, status, headers, body },
    decoder: () => relayDecoder(relay.route, framing, contentType),
  });
}

export function isJsonType(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);
}
