import type { Block, Delta, ForeignDelta } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { isProviderItem } from './client-tool-items.ts';
import type { BlockWriter, ItemPosition, ItemSink } from './item-sink.ts';

/** Whether no other format has this kind of output item. */
export function isForeignItem({ type }: JsonObject): boolean {
  return typeof type === 'string' && !sharedItemTypes.has(type);
}

const sharedItemTypes: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
]);

/** A foreign item as a block, with the call id that the client has to answer, if any. */
export function toForeignBlock(item: JsonObject): Block {
  const block = Object.assign(foreignBlock('openai-responses', item), { isFromAnswer: true });
  if (item.type === 'mcp_approval_request') return Object.assign(block, { awaits: null });
  return isClientToolCall(item) ? Object.assign(block, { awaits: item.call_id }) : block;
}

function isClientToolCall(item: JsonObject): boolean {
  const { type, call_id, environment } = item;
  if (typeof type !== 'string' || !type.endsWith('_call') || typeof call_id !== 'string') return false;
  return !isProviderItem(item) && objectOf(environment)?.type !== 'container_reference';
}

/** A stream frame of a foreign item; the last one has the complete item. */
export function toForeignDelta(frame: JsonObject): ForeignDelta {
  const part = frame.type === 'response.output_item.done' ? objectOf(frame.item) : undefined;
  return part === undefined ? { type: 'foreign_delta', frame } : { type: 'foreign_delta', part };
}

/**
 * The id that an item has to keep. Providers that store responses look items up by id and expect their neighbors too,
 * whose ids change when a reply is rewritten; so the id stays only without storage, and only on items that need it.
 */
export function stableItemIdOf(
  { id, encrypted_content }: JsonObject,
  { store }: JsonObject,
): string | undefined {
  return store === false || typeof encrypted_content === 'string' ? stringOf(id) : undefined;
}

/** The item as it goes back to its provider. */
export function dropUnstableId(item: JsonObject, clientBody: JsonObject): JsonObject {
  if (stableItemIdOf(item, clientBody) !== undefined) return item;
  const { id: _, ...rest } = item;
  return rest;
}

/** Whether the block comes from a reply and not from the client. */
export function isFromAnswer(block: Block): boolean {
  return 'isFromAnswer' in block && block.isFromAnswer === true;
}

/** The prefix of the item's id. */
export function itemIdPrefixOf({ id }: JsonObject): string {
  return /^[a-z]+(?=_)/.exec(stringOf(id) ?? '')?.[0] ?? 'item';
}

/** Writes a foreign item unchanged, at its position in this reply. */
export class ForeignItemWriter implements BlockWriter {
  readonly #sink: ItemSink;
  readonly #position: ItemPosition;
  #item: JsonObject;

  constructor(itemSink: ItemSink, item: JsonObject, clientBody: JsonObject) {
    this.#sink = itemSink;
    this.#item = item;
    this.#position = itemSink.openItem(
      itemIdPrefixOf(item),
      (id) => ({ ...item, id }),
      stableItemIdOf(item, clientBody),
    );
  }

  append(delta: Delta): void {
    if (delta.type !== 'foreign_delta') return;
    if (delta.part !== undefined) this.#item = delta.part;
    const { type, item_id, sequence_number: _, ...fields } = delta.frame ?? {};
    if (typeof type !== 'string') return;
    const named = item_id === undefined ? {} : { item_id: this.#position.item_id };
    this.#sink.emit(type, { ...fields, ...named, output_index: this.#position.output_index });
  }

  stop(): void {
    this.#sink.completeItem(this.#position, { ...this.#item, id: this.#position.item_id });
  }
}
