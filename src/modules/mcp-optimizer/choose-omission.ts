import type { Embeddings, Exchange, Kit, Tool, Vector } from '../../module-api.ts';
import { type RequestText, requestTexts } from './choice/request-texts.ts';
import { selectTools } from './choice/select-tools.ts';
import type { EmbeddedRequestText } from './choice/tool-list.ts';
import { paysToWait } from './early-choice.ts';
import type { LearnedTools } from './learned-tools.ts';
import { embeddingWaitMs, savedTokensMin } from './limits.ts';
import type { McpOptimizerOptions } from './options.ts';
import { findRequiredTools } from './required-tools.ts';
import { retrievalModeOf } from './retrieval-mode.ts';
import type { ToolListCache } from './tool-list-cache.ts';

/** A call with tools that may be omitted. */
export interface CallWithTools {
  readonly exchange: Exchange;
  readonly kit: Kit<McpOptimizerOptions>;
  /** The client's own. */
  readonly clientTools: readonly Tool[];
  readonly lists: ToolListCache;
  readonly learned: LearnedTools;
}

/** Names of tools that can be omitted, and whether that is because of small talk only. */
export interface ToolOmission {
  readonly omitted: readonly string[];
  readonly isSmallTalk: boolean;
  /** Whether nothing can be omitted because the request is too vague. */
  readonly isVague: boolean;
}

export const noOmission: ToolOmission = { omitted: [], isSmallTalk: false, isVague: false };

/** Chooses the tools that a call doesn't need; undefined if that can't be determined. */
export async function chooseOmission(call: CallWithTools): Promise<ToolOmission | undefined> {
  const { exchange, kit, clientTools, lists } = call;
  if (lists.isEmbedding(clientTools)) {
    kit.note({ vectors: 'busy' });
    return undefined;
  }
  const { list, why } = await lists.load(clientTools, kit.embeddings);
  if (list === undefined) {
    kit.note({ vectors: why });
    // Started at once: a provider takes longer to answer than most lists take to embed.
    const embedding = lists.embedMissing(clientTools, kit.embeddings);
    kit.runInBackground(() => embedding);
    return undefined;
  }
  const request = await embedTexts(requestTexts(exchange.request), kit.embeddings);
  if (request.why !== undefined) {
    kit.note({ vectors: request.why });
    return undefined;
  }
  const learned = await recallTools(call, request.first);
  const always = [...kit.options.always, ...learned];
  const needed = findRequiredTools(exchange, list, { tools: clientTools, always });
  const { selected, isVague, isSmallTalk } = selectTools(list, request.texts, needed);
  const left = [...list.tools.keys()].filter((at) => !selected.has(at));
  const tokens = left.reduce((sum, at) => sum + (list.tools[at]?.tokens ?? 0), 0);
  const isTooVague = isVague || (isSmallTalk && !canWaitForRequest(exchange, tokens, kit));
  if (isTooVague || tokens < savedTokensMin) return { ...noOmission, isVague: isTooVague };
  const stays = new Set([...selected].map((at) => list.tools[at]?.name));
  const names = left.map((at) => list.tools[at]?.name ?? '').filter((one) => !stays.has(one));
  return { omitted: names, isSmallTalk, isVague: false };
}

/** Those that this call offers. */
async function recallTools(call: CallWithTools, vector: Vector | undefined): Promise<readonly string[]> {
  if (vector === undefined) return [];
  const offered = new Set(call.clientTools.map(({ name }) => name));
  const tools = (await call.learned.recall(call, vector)).filter((name) => offered.has(name));
  if (tools.length > 0) call.kit.note({ learned: tools.length });
  return tools;
}

/** With the provider's tool search, tools can be loaded later. Otherwise they must be sent with the first request. */
function canWaitForRequest(exchange: Exchange, tokens: number, kit: Kit<McpOptimizerOptions>): boolean {
  const retrievalMode = retrievalModeOf(exchange, kit);
  return retrievalMode === 'defer' || (retrievalMode === 'find' && paysToWait(exchange, tokens, kit));
}

/** Texts get empty vectors if embedding fails or is late; then only words are compared. */
export async function embedTexts(
  texts: readonly RequestText[],
  embed: Embeddings,
): Promise<{
  readonly texts: readonly EmbeddedRequestText[];
  /** The vector of the first text. */
  readonly first?: Vector | undefined;
  readonly why?: string | undefined;
}> {
  const { vectors, why } = await embed.many(
    texts.map(({ text }) => text),
    { use: 'tools', deadlineMs: embeddingWaitMs },
  );
  const none = new Float32Array();
  return {
    texts: texts.map((one, at) => ({ ...one, vector: vectors?.[at]?.values ?? none })),
    first: vectors?.[0],
    why,
  };
}
