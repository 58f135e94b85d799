import { hash } from 'node:crypto';
import {
  type Exchange,
  endUserRefOf,
  isJsonObject,
  type Kit,
  Lru,
  type Message,
  type Vector,
  type VectorMatch,
} from '../../module-api.ts';
import { isInformative } from './choice/informative-text.ts';
import { newestUserText } from './choice/request-texts.ts';
import { isSmallTalk } from './choice/small-talk.ts';
import type { CallWithTools } from './choose-omission.ts';
import {
  backgroundEmbeddingMs,
  learnedDataBytesMax,
  learnedToolsMax,
  recallWaitMs,
  recordedUsesMax,
  recordingIntervalMs,
  rememberedRequestSeconds,
} from './limits.ts';
import type { McpOptimizerOptions } from './options.ts';

/** The minimum cosine of similar requests, which most of those that need the same tool reach: about two tools more are sent then. */
const cosineMin = 0.5;
/** After this time, the cosine of a remembered request counts half. */
const halfLifeMs = 30 * 86_400_000;
/** The number of other end users who must have called a tool before it is sent for somebody. */
const othersMin = 3;

/** A request, stored with its vector: who sent it, and the tools that were called for it. */
interface RememberedRequest {
  /** Empty if no end user was named. */
  readonly user: string;
  readonly tools: readonly string[];
}

/** Remembers the tools that were called for requests, so that they are sent with similar ones. */
export class LearnedTools {
  /** When this process stored a use, so that it does so once a day. */
  readonly #recordedAtMs = new Lru<number>(recordedUsesMax);

  /** Stores the calls of the latest answer, which the client sends back with their results. */
  record({ exchange, kit, clientTools }: CallWithTools): void {
    if (kit.options.learn === 'off') return;
    const { messages } = exchange.request;
    const answeredAt = messages.findLastIndex(({ role }) => role === 'assistant');
    const called = callsIn(messages[answeredAt]);
    const tools = clientTools.map(({ name }) => name).filter((name) => called.has(name));
    if (tools.length === 0) return;
    const text = newestUserText(messages.slice(0, answeredAt));
    if (!saysWhatIsNeeded(text)) return;
    const user = userOf(exchange, kit);
    const id = hash('sha256', `${user}\n${text}`, 'base64url');
    const unrecorded = tools.filter((tool) => this.#isDue(`${kit.scope} ${id} ${tool}`, kit.clock.now()));
    if (unrecorded.length > 0)
      kit.runInBackground(() => storeUses({ id, text, user, tools: unrecorded }, kit));
  }

  /** Names of tools that were called for similar requests, the most similar first. */
  async recall(
    { exchange, kit }: Pick<CallWithTools, 'exchange' | 'kit'>,
    vector: Vector,
  ): Promise<readonly string[]> {
    if (kit.options.learn === 'off' || !saysWhatIsNeeded(newestUserText(exchange.request.messages)))
      return [];
    const { found = [] } = await kit.vectors.search(vector, {
      most: 100,
      least: cosineMin,
      deadlineMs: recallWaitMs,
    });
    const user = kit.options.scope === 'account' ? undefined : userOf(exchange, kit);
    return toolsCalledFor(found, { user, nowMs: kit.clock.now() });
  }

  #isDue(use: string, nowMs: number): boolean {
    if (nowMs - (this.#recordedAtMs.get(use) ?? 0) < recordingIntervalMs) return false;
    this.#recordedAtMs.set(use, nowMs);
    return true;
  }
}

/** The tools of remembered requests, which come in the order of their similarity. For one end user, or for all if undefined. */
export function toolsCalledFor(
  requests: readonly Pick<VectorMatch, 'data' | 'cosine' | 'addedAtMs'>[],
  { user: self, nowMs }: { readonly user: string | undefined; readonly nowMs: number },
): readonly string[] {
  const users = new Map<string, Set<string>>();
  for (const { data, cosine, addedAtMs } of requests) {
    if (cosine * 0.5 ** ((nowMs - addedAtMs) / halfLifeMs) < cosineMin) continue;
    const { user, tools } = parseRequest(data);
    for (const tool of tools) users.set(tool, (users.get(tool) ?? new Set()).add(user));
  }
  const isFor = (calledBy: ReadonlySet<string>) =>
    self === undefined || calledBy.has(self) || calledBy.size >= othersMin;
  return [...users].flatMap(([tool, calledBy]) => (isFor(calledBy) ? [tool] : [])).slice(0, learnedToolsMax);
}

function userOf({ clientRequest }: Exchange, { scope }: Kit<McpOptimizerOptions>): string {
  return endUserRefOf(clientRequest, scope) ?? '';
}

/** Other texts are followed by any call. */
function saysWhatIsNeeded(text: string): boolean {
  return isInformative(text) && !isSmallTalk(text);
}

function callsIn(message: Message | undefined): ReadonlySet<string> {
  const { content = '' } = message ?? {};
  return new Set(
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])),
  );
}

async function storeUses(
  { id, text, user, tools }: RememberedRequest & { readonly id: string; readonly text: string },
  { embeddings, vectors }: Kit<McpOptimizerOptions>,
): Promise<void> {
  const stored = await vectors.data([id]);
  if (stored === undefined) return;
  const { vector } = await embeddings.one(text, { use: 'tools', deadlineMs: backgroundEmbeddingMs });
  if (vector === undefined) return;
  const all = [...new Set([...tools, ...parseRequest(stored.get(id)).tools])];
  await vectors.add({
    id,
    vector,
    data: serializeRequest({ user, tools: all }),
    ttlSeconds: rememberedRequestSeconds,
  });
}

/** As many of the tools as fit. */
export function serializeRequest({ user, tools }: RememberedRequest): string {
  const json = JSON.stringify({ user, tools });
  if (Buffer.byteLength(json) <= learnedDataBytesMax) return json;
  return serializeRequest({ user, tools: tools.slice(0, -1) });
}

function parseRequest(data: string | undefined): RememberedRequest {
  const parsed: unknown = data === undefined ? undefined : JSON.parse(data);
  const { user, tools } = isJsonObject(parsed) ? parsed : {};
  return {
    user: typeof user === 'string' ? user : '',
    tools: Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : [],
  };
}
