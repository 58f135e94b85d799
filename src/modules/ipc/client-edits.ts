import {
  blocksOf,
  type ChatRequest,
  isJsonObject,
  type JsonObject,
  type Message,
  type ReplyEvent,
} from '../../module-api.ts';
import { charsPerToken } from './limits.ts';
import { charsOf, resultChars } from './text/blocks.ts';
import { sum } from './view.ts';

/** The provider's defaults for `clear_tool_uses`. */
const defaultTriggerTokens = 100_000;
const defaultKeptUses = 3;

/** The tokens that the provider reports as cleared in an event of its reply. */
export function reportedClearedTokens(event: ReplyEvent): number {
  const holder: object = event.type === 'message_start' ? event.message : event;
  const management = 'context_management' in holder ? holder.context_management : undefined;
  const edits = isJsonObject(management) ? objectsIn(management.applied_edits) : [];
  return sum(edits.map(({ cleared_input_tokens: tokens }) => (typeof tokens === 'number' ? tokens : 0)));
}

/** What a client's own `context_management` would have the provider clear of its request. */
export interface ClientEdits {
  readonly clearedChars: number;
  /** The size of the messages before the first result that wasn't cleared in the call before: the provider has no more of them cached. */
  readonly unchangedChars: number;
}

export function clientEditsOf(request: ChatRequest, ratio: number): ClientEdits {
  const edit = objectsIn(request.context_management?.edits).find(({ type }) =>
    String(type).startsWith('clear_tool_uses'),
  );
  if (edit === undefined) return noEdits;
  const { messages } = request;
  const before = messages.slice(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
  const [uses, usesBefore] = [messages, before].map((own) => countCleared(edit, own, ratio));
  const isCleared = createUseFilter(edit, messages);
  let [nth, chars, clearedChars, unchangedChars] = [0, 0, 0, Number.POSITIVE_INFINITY];
  for (const message of messages) {
    for (const block of blocksOf(message)) {
      if (block.type !== 'tool_result' || nth >= (uses ?? 0)) continue;
      if (nth++ === usesBefore) unchangedChars = chars - clearedChars;
      if (isCleared(block.tool_use_id)) clearedChars += resultChars(block);
    }
    chars += charsOf(message);
  }
  return { clearedChars, unchangedChars };
}

const noEdits: ClientEdits = { clearedChars: 0, unchangedChars: Number.POSITIVE_INFINITY };

function createUseFilter({ exclude_tools: excluded }: JsonObject, messages: readonly Message[]) {
  if (!Array.isArray(excluded)) return () => true;
  const ids = new Set(
    messages
      .flatMap(blocksOf)
      .flatMap((block) => (block.type === 'tool_use' && excluded.includes(block.name) ? [block.id] : [])),
  );
  return (id: string) => !ids.has(id);
}

/** How many tool results the provider clears of these messages. */
function countCleared({ trigger, keep }: JsonObject, messages: readonly Message[], ratio: number): number {
  const results = messages.flatMap(blocksOf).filter(({ type }) => type === 'tool_result').length;
  const tokens = (sum(messages.map(charsOf)) / charsPerToken) * ratio;
  const isTriggered =
    isJsonObject(trigger) && trigger.type === 'tool_uses'
      ? results > (numberIn(trigger) ?? 0)
      : tokens > (numberIn(trigger) ?? defaultTriggerTokens);
  return isTriggered ? Math.max(0, results - (numberIn(keep) ?? defaultKeptUses)) : 0;
}

function numberIn(setting: unknown): number | undefined {
  return isJsonObject(setting) && typeof setting.value === 'number' ? setting.value : undefined;
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
