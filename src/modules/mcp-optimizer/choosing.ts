import type { Embeddings, Exchange, Kit, Tool } from '../../module-api.ts';
import { choose } from './choice/choose.ts';
import { type RequestText, requestTexts } from './choice/request-texts.ts';
import type { ReadText } from './choice/tool-list.ts';
import { paysToWait } from './early.ts';
import { savedTokensMin, vectorsWaitMs } from './limits.ts';
import { neededIn } from './needed.ts';
import type { McpOptimizerOptions } from './options.ts';
import type { ToolLists } from './tool-lists.ts';
import { wayOf } from './ways.ts';

/** A call whose tools may be left out. */
export interface CallWithTools {
  readonly exchange: Exchange;
  readonly kit: Kit<McpOptimizerOptions>;
  /** The client's own. */
  readonly offered: readonly Tool[];
  readonly lists: ToolLists;
}

/** Names of tools that can be left out, and whether that is so since nothing was asked for yet. */
export interface Chosen {
  readonly left: readonly string[];
  readonly isSmallTalk: boolean;
  /** Whether nothing can be left out since the request tells too little. */
  readonly isVague: boolean;
}

export const nothingChosen: Chosen = { left: [], isSmallTalk: false, isVague: false };

/** What a call can do without; undefined where nobody can tell. */
export async function chosen({ exchange, kit, offered, lists }: CallWithTools): Promise<Chosen | undefined> {
  if (lists.isMaking(offered)) {
    kit.note({ vectors: 'busy' });
    return undefined;
  }
  const texts = requestTexts(exchange.request);
  const [{ list, why }, request] = await Promise.all([
    lists.of(offered, kit.embed),
    readTexts(texts, kit.embed),
  ]);
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
  if (isTooVague || tokens < savedTokensMin) return { ...nothingChosen, isVague: isTooVague };
  const stays = new Set([...kept].map((at) => list.tools[at]?.name));
  const names = left.map((at) => list.tools[at]?.name ?? '').filter((one) => !stays.has(one));
  return { left: names, isSmallTalk, isVague: false };
}

/** A provider that searches itself brings tools in when they are asked for. Else they have to be sent then. */
function mayWait(exchange: Exchange, tokens: number, kit: Kit<McpOptimizerOptions>): boolean {
  const way = wayOf(exchange, kit);
  return way === 'defer' || (way === 'find' && paysToWait(exchange, tokens, kit));
}

/** Without vectors where there are none in time: then words alone have to do. */
export async function readTexts(
  texts: readonly RequestText[],
  embed: Embeddings,
): Promise<{ readonly texts: readonly ReadText[]; readonly why?: string | undefined }> {
  const { vectors, why } = await embed.many(
    texts.map(({ text }) => text),
    { use: 'tools', deadlineMs: vectorsWaitMs },
  );
  const none = new Float32Array();
  return { texts: texts.map((one, at) => ({ ...one, vector: vectors?.[at]?.values ?? none })), why };
}
