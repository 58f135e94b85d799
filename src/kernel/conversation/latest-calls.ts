import { isJsonObject } from '../../lib/json.ts';
import { scopeOf } from '../caller.ts';
import { endUserRefOf } from '../end-user.ts';
import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import type { ScopedCache } from '../ports/scoped-cache.ts';
import { suppliedConversationName } from './conversation.ts';
import { digest, digestOfTools } from './digest.ts';
import { type BreakReason, nameOfTarget } from './prefix.ts';

/** The latest call of a conversation, stored to tell why the next one does not continue it. */
interface LatestCall {
  /** The number of messages. */
  readonly count: number;
  readonly askedOf: string;
  readonly tools: string;
}

/**
 * Why the messages don't follow those of an earlier call; undefined if they do. `since` is the number of messages that
 * a record was found for, -1 without one.
 */
export async function findChange(
  cache: ScopedCache,
  exchange: Exchange,
  since: number,
): Promise<BreakReason | undefined> {
  const { request, target } = exchange;
  const lastAnswer = request.messages.findLastIndex(({ role }) => role === 'assistant');
  if (since >= Math.max(0, lastAnswer)) return undefined;
  const latest = parseLatestCall(await cache.get(rootKey(exchange)));
  if (latest === undefined) return (await isKnownName(cache, exchange)) ? 'tools' : 'first';
  if (latest.askedOf !== nameOfTarget(target)) return 'model';
  if (latest.count > request.messages.length) return 'compacted';
  if (latest.tools !== digestOfTools(request)) return 'tools';
  return since < 0 ? 'edited' : undefined;
}

/** `isBreak` if the name of the conversation may not be stored yet. */
export async function storeLatestCall(
  cache: ScopedCache,
  exchange: Exchange,
  isBreak: boolean,
): Promise<void> {
  const { request, target } = exchange;
  const latest: LatestCall = {
    count: request.messages.length,
    askedOf: nameOfTarget(target),
    tools: digestOfTools(request),
  };
  await cache.put(rootKey(exchange), Buffer.from(JSON.stringify(latest)), limits.prefixTtlSeconds);
  const name = isBreak ? nameKey(exchange) : undefined;
  if (name !== undefined) await cache.put(name, Buffer.from('{}'), limits.prefixTtlSeconds);
}

/** The same name with other instructions. A derived name is another one then. */
async function isKnownName(cache: ScopedCache, exchange: Exchange): Promise<boolean> {
  const name = nameKey(exchange);
  return name !== undefined && (await cache.get(name)) !== undefined;
}

function rootKey({ conversation }: Exchange): string {
  return `latest:${conversation.root}`;
}

function nameKey({ clientRequest, caller }: Exchange): string | undefined {
  const name = suppliedConversationName(clientRequest);
  if (name === undefined) return undefined;
  return `name:${digest([name, endUserRefOf(clientRequest, scopeOf(caller))])}`;
}

function parseLatestCall(bytes: Uint8Array | undefined): LatestCall | undefined {
  if (bytes === undefined) return undefined;
  const read: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  if (!isJsonObject(read)) return undefined;
  const { count, askedOf, tools } = read;
  const isWhole = typeof count === 'number' && typeof askedOf === 'string' && typeof tools === 'string';
  return isWhole ? { count, askedOf, tools } : undefined;
}
