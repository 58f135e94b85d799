import type { Compaction } from '../../kernel/compaction.ts';
import type { Block, ChatRequest, Message } from '../../kernel/message.ts';
import { type Target, wiresOf } from '../../kernel/provider.ts';
import { markTexts } from '../../kernel/scan/scan.ts';
import type { JsonObject } from '../../lib/json.ts';
import { mapItems } from '../../lib/map-items.ts';
import { foreignPartOf } from '../foreign.ts';
import { wrapOpaque } from '../opaque-data.ts';
import { attachOriginals, originalsOf } from '../originals.ts';
import { isTrigger, isTriggerBlock, sealedSummaryOf } from './compaction-items.ts';
import { openedSummary } from './compaction-texts.ts';
import { toForeignBlock } from './foreign-items.ts';
import { inputItemsOf } from './input-items.ts';

/** The format of the endpoint that only compacts, which providers list if they make compactions. */
export const compactFormatName = 'openai-responses-compact';

/** A request whose last item is a trigger is answered with one compaction item. */
export const responsesCompaction: Compaction = {
  mayConcern: ({ fields }) => fields.mayHave(compactionTypes),
  isRequested: (clientRequest) => isTrigger(inputItemsOf(clientRequest.body).at(-1) ?? {}),
  isMadeBy,
  openAll,
  askForSummary,
  retainedItems: () => [],
  item: (callId, sealed) => ({
    id: `cmp_${nameOf(callId)}`,
    type: 'compaction',
    encrypted_content: sealed === undefined ? '' : wrapOpaque('compaction', sealed),
  }),
  toBlock: toForeignBlock,
  progress: { type: 'response.compaction.compacting', item_id: '' },
};

/** The types of compactions and of triggers. */
const compactionTypes = markTexts('compaction');

/** The messages without triggers, and without those that consist of one. */
export function dropTriggers(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message) => {
    if (typeof message.content === 'string' || !message.content.some(isTriggerBlock)) return [message];
    const content = message.content.filter((block) => !isTriggerBlock(block));
    const items = originalsOf(message)?.filter((item) => !isTrigger(item));
    if (content.length === 0) return [];
    return [items === undefined ? { ...message, content } : attachOriginals({ ...message, content }, items)];
  });
}

/** The user's messages in a conversation, as they came. */
export function userItemsOf({ messages }: ChatRequest): readonly JsonObject[] {
  return messages
    .flatMap((message) => originalsOf(message) ?? [])
    .filter(({ type, role }) => (type === undefined || type === 'message') && role === 'user');
}

/** The part of a call's id that names its answer and its items. */
export function nameOf(callId: string): string {
  return callId.slice(callId.indexOf('_') + 1);
}

function isMadeBy(target: Target): boolean {
  return (
    target.provider.answerLocally === undefined &&
    wiresOf(target).some(({ name }) => name === compactFormatName)
  );
}

/** Models of other providers read the trigger's text; tools stay, since without them the provider's cache would miss. */
function askForSummary({ output_config, tool_choice, messages, ...request }: ChatRequest): ChatRequest {
  const { format: _, ...output } = output_config ?? {};
  const mustCall = tool_choice?.type === 'any' || tool_choice?.type === 'tool';
  return {
    ...request,
    messages: [
      ...dropTriggers(messages.slice(0, -1)),
      ...messages.slice(-1).map((message) => mapBlocks(message, copyTrigger)),
    ],
    ...(tool_choice !== undefined && { tool_choice: mustCall ? { type: 'none' } : tool_choice }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
  };
}

/** A copy has no original, so that this format writes its text as well. */
function copyTrigger(block: Block): Block {
  return isTriggerBlock(block) ? { ...block } : block;
}

function openAll(request: ChatRequest, open: (sealed: string) => string): ChatRequest {
  const openBlock = (block: Block): Block => {
    const sealed = sealedSummaryOf(foreignPartOf(block)?.part ?? {});
    return sealed === undefined ? block : { type: 'text', text: openedSummary(open(sealed)) };
  };
  const messages = mapItems(request.messages, (message) => mapBlocks(message, openBlock));
  return messages === request.messages ? request : { ...request, messages };
}

function mapBlocks(message: Message, map: (block: Block) => Block): Message {
  if (typeof message.content === 'string') return message;
  const content = mapItems(message.content, map);
  return content === message.content ? message : { ...message, content };
}
