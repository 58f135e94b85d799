import {
  type ChatRequest,
  type Exchange,
  formatUsd,
  type Kit,
  type ModuleMaker,
  type Tool,
  type ToolSearch,
  wireTowards,
  withTools,
} from '../../module-api.ts';
import { choose } from './choice/choose.ts';
import { requestTexts } from './choice/request-texts.ts';
import type { ReadText, ToolList } from './choice/tool-list.ts';
import { type Decision, Decisions, type Way } from './decision.ts';
import { isSearch, unread, withDeferred, withKnownReferences } from './deferred.ts';
import { mayChooseNow, paysToWait } from './early.ts';
import { withoutTools } from './left-out.ts';
import { savedTokensMin, toolsMax, toolTokensMin, vectorsWaitMs } from './limits.ts';
import { forcedIn, isClients, isLostAnew, isToolSearch, neededIn } from './needed.ts';
import { type McpOptimizerOptions, mcpOptimizerOptions } from './options.ts';
import { ToolLists } from './tool-lists.ts';
import { wayBack } from './way-back.ts';
import { isLosing, paysToStop, readBy, remember, savedBy } from './worth.ts';

const name = 'mcp-optimizer';

type OptimizerKit = Kit<McpOptimizerOptions>;

interface Decided extends Decision {
  /** Tokens that were left out while nothing was asked for: from this call on the tools are others. */
  readonly waited?: number;
}

/** Names of tools that can be left out, and whether that is so since nothing was asked for yet. */
interface Chosen {
  readonly left: readonly string[];
  readonly isSmallTalk: boolean;
}

/** Leaves out the tools that a conversation does not need, the same ones in all of its calls, and finds them where they are missed. */
export const mcpOptimizer: ModuleMaker<McpOptimizerOptions> = () => {
  const lists = new ToolLists();

  /** Undefined where the tools stay as they are. */
  async function decide(
    exchange: Exchange,
    offered: readonly Tool[],
    kit: OptimizerKit,
  ): Promise<Decided | undefined> {
    const decisions = new Decisions(exchange, kit, offered);
    const before = await decisions.latest();
    const all: Decision = { left: [], way: wayOf(exchange, kit), tokens: 0, isEarly: false };
    if (!kit.prefix.isBreak) {
      if (before === undefined || before.left.length === 0) return before;
      if (isForced(exchange, before)) {
        // The call would be refused. What is kept of the conversation is lost by that, once.
        kit.note({ aside: 'forced' });
        await decisions.decide(all);
        return all;
      }
      if (before.isEarly) return decideAtLast(exchange, offered, { before, decisions, kit });
      if (!(await paysToStop(exchange, kit))) return before;
      kit.note({ aside: 'costs' });
      return decisions.decide(all);
    }
    const { left, isSmallTalk } = await leftAtBreak(exchange, offered, { before, kit });
    if (left.length === 0 && before === undefined) return undefined;
    // That nothing is left out any more is a decision, too, where there was another one before.
    const search = all.way === 'defer' ? searchOf(exchange, kit) : undefined;
    const tokens = tokensOf(named(offered, left).map((tool) => unread(tool, search)));
    const isEarly = isSmallTalk && all.way === 'find';
    const decided = await decisions.decide({ ...all, left, tokens, isEarly });
    return decided !== undefined && isForced(exchange, decided) ? all : decided;
  }

  /** After small talk alone, what the first request needs. */
  async function decideAtLast(
    exchange: Exchange,
    offered: readonly Tool[],
    {
      before,
      decisions,
      kit,
    }: { readonly before: Decision; readonly decisions: Decisions; readonly kit: OptimizerKit },
  ): Promise<Decided | undefined> {
    const now = await chosen(exchange, offered, kit);
    if (now === undefined || now.isSmallTalk) return before;
    const left = stillLeft(before.left, now.left);
    const { request } = exchange;
    const edited =
      left.length === 0 ? request : { ...request, tools: withoutTools(request.tools ?? [], new Set(left)) };
    if (!mayChooseNow(exchange, { edited, tokens: before.tokens }, kit)) return before;
    const tokens = tokensOf(named(offered, left));
    const decided = await decisions.decide({ left, way: before.way, tokens, isEarly: false });
    return decided && { ...decided, waited: before.tokens };
  }

  async function leftAtBreak(
    exchange: Exchange,
    offered: readonly Tool[],
    { before, kit }: { readonly before: Decision | undefined; readonly kit: OptimizerKit },
  ): Promise<Chosen> {
    if (await isLosing(exchange, kit)) {
      kit.note({ aside: 'costs' });
      return { left: [], isSmallTalk: false };
    }
    const now = await chosen(exchange, offered, kit);
    if (before === undefined) return now ?? { left: [], isSmallTalk: false };
    // What is not known to be of no use stays: a set that was chosen once only grows.
    return {
      left: stillLeft(before.left, now?.left),
      isSmallTalk: before.isEarly && (now?.isSmallTalk ?? true),
    };
  }

  /** What can be left out; undefined where nobody can tell. */
  async function chosen(
    exchange: Exchange,
    offered: readonly Tool[],
    kit: OptimizerKit,
  ): Promise<Chosen | undefined> {
    if (lists.isMaking(offered)) {
      kit.note({ vectors: 'busy' });
      return undefined;
    }
    const texts = requestTexts(exchange.request);
    const [{ list, why }, request] = await Promise.all([lists.of(offered, kit.embed), readWith(kit, texts)]);
    if (list === undefined || request.why !== undefined) {
      kit.note({ vectors: why ?? request.why ?? 'down' });
      lists.makeLater(offered, kit);
      return undefined;
    }
    const needed = neededIn(exchange, list, { tools: offered, always: kit.options.always });
    const { kept, isVague, isSmallTalk } = choose(list, request.texts, needed);
    const left = [...list.tools.keys()].filter((at) => !kept.has(at));
    const tokens = left.reduce((sum, at) => sum + (list.tools[at]?.tokens ?? 0), 0);
    const isTooVague = isVague || (isSmallTalk && !mayWait(exchange, tokens, kit));
    if (isTooVague) kit.note({ vague: true });
    if (isTooVague || tokens < savedTokensMin) return { left: [], isSmallTalk: false };
    const stays = new Set([...kept].map((at) => list.tools[at]?.name));
    const names = left.map((at) => list.tools[at]?.name ?? '').filter((one) => !stays.has(one));
    return { left: names, isSmallTalk };
  }

  function backTo(
    offered: readonly Tool[],
    left: ReadonlySet<string>,
    kit: OptimizerKit,
  ): ReturnType<typeof wayBack> {
    return wayBack({
      tools: offered,
      left,
      list: () => searchable(offered, kit),
      read: async (texts) =>
        (
          await readWith(
            kit,
            texts.map((text) => ({ text, weight: 1 })),
          )
        ).texts,
    });
  }

  function searchable(offered: readonly Tool[], kit: OptimizerKit): Promise<ToolList> {
    return lists.of(offered, kit.embed).then(({ list }) => list ?? lists.withoutVectors(offered));
  }

  return {
    name,
    summary: 'Leaves out tools that a conversation does not need, and finds them where they are missed.',
    status: 'preview',
    protective: false,
    order: 40,
    ifBroken: 'skip',
    touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
    options: mcpOptimizerOptions,

    async handle(exchange, next, kit) {
      const { tools = [] } = exchange.request;
      const offered = tools.every(isClients) ? tools : tools.filter(isClients);
      if (offered.length < kit.options.min_tools || offered.length > toolsMax) return next(exchange);
      if (isBeyondUs(exchange) || lists.tokensOf(offered) < toolTokensMin) return next(exchange);
      const decision = await decide(exchange, offered, kit);
      if (decision === undefined || decision.left.length === 0) return next(exchange);
      const left = new Set(decision.left);
      const search = decision.way === 'defer' ? searchOf(exchange, kit) : undefined;
      const sent = search === undefined ? withoutTools(tools, left) : withDeferred(tools, left, search.tool);
      const isFinding = decision.way !== 'none' && search === undefined;
      const edited = exchange.with({ request: { ...exchange.request, tools: sent } });
      const back = isFinding ? backTo(offered, left, kit) : [];
      kit.note({ kept: `${tools.length - left.size}/${tools.length}` });
      reckon(exchange, decision.tokens - tokensOf(back.map(({ tool }) => tool)), kit);
      const hidden = { is: isSearch, goBack: search !== undefined };
      const { waited } = decision;
      const arrange = async (request: ChatRequest, offer: (request: ChatRequest) => ChatRequest) => {
        const asked = offer(search === undefined ? request : withKnownReferences(request, sent));
        if (waited !== undefined) mayChooseNow(exchange, { edited: asked, tokens: waited }, kit);
        return asked;
      };
      return withTools(back, { exchange: edited, next, kit, hidden, arrange });
    },
  };
};

/** How the model of a call looks for tools by itself, where its provider has that in the format that it is asked in. */
function searchOf(
  { target, received }: Exchange,
  { catalog }: Pick<OptimizerKit, 'catalog'>,
): ToolSearch | undefined {
  const search = catalog.priced(target)?.toolSearch;
  return search?.wire === wireTowards(target, received.wire)?.name ? search : undefined;
}

function wayOf(exchange: Exchange, kit: OptimizerKit): Way {
  const { way_back: wanted } = kit.options;
  if (wanted === 'none') return wanted;
  return wanted === 'auto' && searchOf(exchange, kit) !== undefined ? 'defer' : 'find';
}

/** A provider that searches itself brings tools in when they are asked for. Else they have to be sent then. */
function mayWait(exchange: Exchange, tokens: number, kit: OptimizerKit): boolean {
  const way = wayOf(exchange, kit);
  return way === 'defer' || (way === 'find' && paysToWait(exchange, tokens, kit));
}

/** Without vectors where there are none in time: then words alone have to do. */
async function readWith(
  kit: OptimizerKit,
  texts: ReturnType<typeof requestTexts>,
): Promise<{ readonly texts: readonly ReadText[]; readonly why?: string | undefined }> {
  const { vectors, why } = await kit.embed.many(
    texts.map(({ text }) => text),
    { use: 'tools', deadlineMs: vectorsWaitMs },
  );
  const none = new Float32Array();
  return { texts: texts.map((one, at) => ({ ...one, vector: vectors?.[at]?.values ?? none })), why };
}

function isForced(exchange: Exchange, { left }: Decision): boolean {
  return forcedIn(exchange).some((one) => left.includes(one));
}

function named(tools: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const wanted = new Set(names);
  return tools.filter((tool) => wanted.has(tool.name));
}

function stillLeft(before: readonly string[], now: readonly string[] | undefined): readonly string[] {
  if (now === undefined) return before;
  const chosenNow = new Set(now);
  return before.filter((one) => chosenNow.has(one));
}

/**
 * A client that searches for its tools itself, calls whose answer can't be gone on with here, and tools of a format's own whose
 * calls would be missing in an answer that is written anew.
 */
function isBeyondUs({ request, received }: Exchange): boolean {
  if (Object.keys(request.extensions?.[`${received.wire.name}!`] ?? {}).length > 0) return true;
  return (request.tools ?? []).some(
    (tool) => tool.defer_loading === true || isToolSearch(tool) || isLostAnew(tool),
  );
}

function tokensOf(tools: readonly Tool[]): number {
  return tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools)) / 4;
}

/** Says what it should come to at once, as the head of a stream goes out before anybody knows, and what it came to when that is known. */
function reckon(exchange: Exchange, tokens: number, kit: OptimizerKit): void {
  const card = kit.catalog.priced(exchange.target)?.card;
  if (card === undefined) return;
  const rate = kit.prefix.isBreak ? card.input : card.cacheRead;
  kit.note({ saved: formatUsd(Math.round((tokens * rate) / 1000)) });
  kit.whenPaid((attempts) => {
    const saved = savedBy(attempts, tokens, { card, name });
    kit.saved(saved);
    kit.note({ saved: formatUsd(saved) });
    kit.later(() => remember({ saved, tokens: readBy(attempts) }, exchange, kit));
  });
}
