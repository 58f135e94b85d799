import type { z } from 'zod';
import {
  digestOfSystem,
  digestOfText,
  digestOfTools,
  type Exchange,
  endUserRefOf,
  type Kit,
  type ScopedCache,
} from '../../module-api.ts';
import {
  type CallRecord,
  callRecordSchema,
  type SentDigests,
  sentDigestsSchema,
  sharedLinesSchema,
  type Traffic,
  toolOrderSchema,
  trafficSchema,
} from './call-record.ts';
import {
  digestOfCall,
  type SystemSummary,
  summarizeSystem,
  summarizeTools,
  type ToolSummary,
} from './head.ts';
import { recordTtlSeconds, sharedLinesTtlSeconds, trafficTtlSeconds } from './limits.ts';
import { answeredIndex } from './place-markers.ts';
import { sharedLinesOf } from './shared-instructions.ts';
import { isSameList } from './steady-head.ts';

/** A call, and the names of what is stored about it. */
export interface IdentifiedCall {
  readonly tools: ToolSummary;
  readonly system: SystemSummary;
  /** Names the conversation, whatever the values in its instructions are. */
  readonly conversation: string;
  readonly hasAnswer: boolean;
  /** A digest of the tools and instructions. */
  readonly head: string;
  readonly keys: {
    readonly own: string;
    readonly last: string;
    readonly traffic: string;
    readonly sent: string;
    readonly order: string;
    readonly shared: string;
  };
}

/** What earlier calls left. */
export interface Recollection {
  /** Of an earlier call with the same messages. */
  readonly same: CallRecord | undefined;
  /** Of the call that this one continues. */
  readonly last: CallRecord | undefined;
  readonly traffic: Traffic | undefined;
  readonly sent: SentDigests | undefined;
  /** The names of the tools in the order in which they were first sent. */
  readonly order: readonly string[] | undefined;
  /** Digests of the lines that all instructions of the application begin with. */
  readonly shared: readonly string[] | undefined;
}

export function identifyCall(exchange: Exchange, { scope }: Pick<Kit<unknown>, 'scope'>): IdentifiedCall {
  const { request, clientRequest, target } = exchange;
  const person = endUserRefOf(clientRequest, scope);
  const targetName = `${target.provider.name}/${target.model}`;
  const tools = summarizeTools(request);
  const system = summarizeSystem(exchange);
  const { messages } = request;
  const identity = [person, targetName, system.shape];
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const opening = first < 0 ? messages.length : first;
  return {
    tools,
    system,
    conversation: digestOfCall(exchange, opening, identity),
    hasAnswer: first >= 0,
    head: digestOfText(
      `${digestOfTools(request)} ${digestOfSystem(request, clientRequest.wire.attribution)}`,
    ),
    keys: {
      own: `call:${digestOfCall(exchange, messages.length, identity)}`,
      last: `call:${digestOfCall(exchange, answeredIndex(messages), identity)}`,
      traffic: `traffic:${targetName}:${tools.set}:${system.start}`,
      // Calls for a title have the opening of the conversation, but no tools.
      sent: `sent:${digestOfCall(exchange, opening, [person, tools.list.length > 0 ? 'tools' : null])}`,
      order: `order:${tools.set}`,
      shared: `shared:${targetName}:${tools.set}:${system.start}`,
    },
  };
}

export async function recallCalls(
  { keys, hasAnswer, tools }: IdentifiedCall,
  cache: ScopedCache,
): Promise<Recollection> {
  const [same, last, traffic, sent, order, shared] = await Promise.all([
    hasAnswer ? undefined : read(cache, keys.own, callRecordSchema),
    hasAnswer ? read(cache, keys.last, callRecordSchema) : undefined,
    read(cache, keys.traffic, trafficSchema),
    hasAnswer ? read(cache, keys.sent, sentDigestsSchema) : undefined,
    tools.list.length > 1 ? read(cache, keys.order, toolOrderSchema) : undefined,
    hasAnswer ? undefined : read(cache, keys.shared, sharedLinesSchema),
  ]);
  return { same, last, traffic, sent, order, shared };
}

export async function storeCall(
  { keys, tools, system, hasAnswer }: IdentifiedCall,
  stored: Omit<Recollection, 'same' | 'last'> & { readonly own: CallRecord },
  cache: ScopedCache,
): Promise<void> {
  await Promise.all([
    write(cache, keys.own, stored.own, recordTtlSeconds),
    write(cache, keys.traffic, stored.traffic, trafficTtlSeconds),
    write(cache, keys.sent, stored.sent, recordTtlSeconds),
    hasAnswer || isSameList(sharedLinesOf(system, stored.shared), stored.shared ?? [])
      ? undefined
      : write(cache, keys.shared, sharedLinesOf(system, stored.shared), sharedLinesTtlSeconds),
    stored.order === undefined && tools.list.length > 1
      ? write(
          cache,
          keys.order,
          tools.list.map(([name]) => name),
          trafficTtlSeconds,
        )
      : undefined,
  ]);
}

/** Undefined if there is no entry, or one of another version. */
async function read<Schema extends z.ZodType>(
  cache: ScopedCache,
  key: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const bytes = await cache.get(key);
  if (bytes === undefined) return undefined;
  return schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
}

async function write(cache: ScopedCache, key: string, value: unknown, ttlSeconds: number): Promise<void> {
  await cache.put(key, Buffer.from(JSON.stringify(value)), ttlSeconds);
}
