import type { ChatRequest, DecisionLog, Exchange, Kit } from '../../module-api.ts';
import { limits } from './limits.ts';
import { type ListedTool, memoizeRequestTool } from './listed-tool.ts';
import { digestOfList, type ToolLists } from './tool-lists.ts';

interface ConversationParts {
  readonly exchange: Exchange;
  readonly kit: Pick<Kit<unknown>, 'scope' | 'store' | 'prefix'>;
  readonly decisions: DecisionLog;
  readonly lists: ToolLists;
}

/** The tools that could be offered now. */
export interface CurrentTools {
  readonly tools: readonly ListedTool[];
  /** Servers whose tools may be missing. */
  readonly unavailable: readonly string[];
}

/**
 * The tools of a conversation. They stay the same in all its calls, whatever its servers do meanwhile, because another list would make
 * the provider read the whole conversation anew. A new list is for new conversations, also for those that begin with the same message
 * once the provider has that no longer in its cache.
 */
export async function toolsOfConversation(
  parts: ConversationParts,
  current: CurrentTools,
): Promise<readonly ListedTool[]> {
  const { exchange, decisions, lists, kit } = parts;
  const answered = exchange.request.messages.findIndex(({ role }) => role === 'assistant');
  if (answered < 0) return beginConversation(parts, current);
  const place = `list at ${exchange.conversation.digestAt(answered + 1)}`;
  const decided = await decisions.get(place);
  if (
    decided === undefined &&
    (await latestList(decisions)).digest === undefined &&
    current.tools.length === 0
  )
    return [];
  const digest = await decisions.decideOnce(
    place,
    async () => (await latestList(decisions)).digest ?? (await lists.add(current.tools, kit)),
  );
  const list = typeof digest === 'string' ? await lists.find(digest, kit) : undefined;
  return list ?? current.tools;
}

async function beginConversation(
  { exchange, decisions, lists, kit }: ConversationParts,
  { tools, unavailable }: CurrentTools,
): Promise<readonly ListedTool[]> {
  const latest = await latestList(decisions);
  const before = latest.digest === undefined ? [] : ((await lists.find(latest.digest, kit)) ?? []);
  const list = withMissing(tools, before, unavailable);
  const isNew = list.length > 0 && digestOfList(list) !== latest.digest;
  // The provider still has the request of an earlier conversation in its cache.
  const isCached = (tools: readonly ListedTool[]) =>
    kit.prefix.isPreserved(offerTools(exchange.request, tools));
  if (isNew && before.length > 0 && !isCached(list) && isCached(before)) return before;
  if (isNew && latest.count < limits.firstListsMax)
    await decisions.decideOnce(firstListName(latest.count), () => lists.add(list, kit));
  return list;
}

/** The tools of servers that are away stay as they were. */
function withMissing(
  tools: readonly ListedTool[],
  before: readonly ListedTool[],
  unavailable: readonly string[],
): readonly ListedTool[] {
  const names = new Set(tools.map(({ gatewayName }) => gatewayName));
  const missing = before.filter(
    ({ server, gatewayName }) => unavailable.includes(server) && !names.has(gatewayName),
  );
  if (missing.length === 0) return tools;
  return [...tools, ...missing].toSorted((one, other) => (one.gatewayName < other.gatewayName ? -1 : 1));
}

/** The request with these tools. Names that the client has, too, are rare and don't matter here. */
function offerTools(request: ChatRequest, tools: readonly ListedTool[]): ChatRequest {
  return { ...request, tools: [...(request.tools ?? []), ...tools.map(memoizeRequestTool)] };
}

interface LatestList {
  readonly digest: string | undefined;
  readonly count: number;
}

/** The latest list of a conversation that begins with this message, and how many there were. */
async function latestList(decisions: DecisionLog): Promise<LatestList> {
  const names = Array.from({ length: limits.firstListsMax }, (_, at) => firstListName(at));
  const known = await decisions.getAll(names);
  const digest = known.get(firstListName(known.size - 1));
  return { digest: typeof digest === 'string' ? digest : undefined, count: known.size };
}

function firstListName(at: number): string {
  return `first list ${at}`;
}
