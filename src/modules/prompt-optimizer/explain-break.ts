import { digestOfMessage, type Exchange } from '../../module-api.ts';
import type { SentDigests } from './call-record.ts';
import { shortDigest, summarizeSystem, summarizeTools } from './head.ts';
import { endOfLines } from './lines.ts';

/** Digests of what a call sends, for the explanation of a later call. */
export function digestSent(exchange: Exchange, atMs: number): SentDigests {
  return {
    atMs,
    tools: summarizeTools(exchange.request).list.map(([name, digest]) => [name, digest]),
    lines: [...summarizeSystem(exchange).lines],
    messages: exchange.request.messages.map((message) => shortDigest(digestOfMessage(message))),
  };
}

/**
 * The first difference from what the last call sent, in the order in which providers cache it: `tools@search`, `system@1204`
 * (a position in the text), `messages@12` (an index); undefined if the call only continues it.
 */
export function findFirstDifference(exchange: Exchange, before: SentDigests): string | undefined {
  const now = digestSent(exchange, 0);
  const tool = firstDifference(before.tools.map(String), now.tools.map(String), 'whole');
  if (tool !== undefined) return `tools@${nameAt(now.tools, tool) ?? nameAt(before.tools, tool) ?? tool}`;
  const line = firstDifference(before.lines, now.lines, 'whole');
  if (line !== undefined) return `system@${positionOfLine(exchange, line)}`;
  const message = firstDifference(before.messages, now.messages, 'start');
  return message === undefined ? undefined : `messages@${message}`;
}

/** The index of the first difference; a list that must only start with the other may be longer. */
function firstDifference(
  before: readonly string[],
  now: readonly string[],
  must: 'whole' | 'start',
): number | undefined {
  const at = before.findIndex((digest, index) => digest !== now[index]);
  if (at >= 0) return at;
  return must === 'whole' && now.length > before.length ? before.length : undefined;
}

function nameAt(tools: SentDigests['tools'], at: number): string | undefined {
  return tools[at]?.[0].replace(/[^\w.-]/g, '_').slice(0, 64);
}

/** The position of a line among the characters of the instructions. */
function positionOfLine({ request: { system } }: Exchange, line: number): number {
  const text = typeof system === 'string' ? system : (system ?? []).map((block) => block.text).join('\n');
  return (endOfLines(text, line) ?? text.length) + 1;
}
