import type { Block } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { invalidRequestError } from '../check-messages.ts';
import { stringOf } from '../json-values.ts';
import { unwrapOpaque } from '../opaque-data.ts';
import { attachOriginals, originalsOf } from '../originals.ts';
import { summaryInstruction } from './compaction-texts.ts';

/** Whether the item asks for a compaction. */
export function isTrigger({ type }: JsonObject): boolean {
  return type === 'compaction_trigger';
}

/** A trigger as a text, for formats without compactions. */
export function decodeTrigger(item: JsonObject): Block {
  return attachOriginals({ type: 'text', text: summaryInstruction }, [item]);
}

export function isTriggerBlock(block: Block): boolean {
  return isTrigger(originalsOf(block)?.[0] ?? {});
}

/** The sealed summary of a compaction that the gateway made; undefined for other items. */
export function sealedSummaryOf({ type, encrypted_content }: JsonObject): string | undefined {
  return type === 'compaction' ? unwrapOpaque('compaction', stringOf(encrypted_content) ?? '') : undefined;
}

/** The items without those that a compaction has replaced: clients may send them again, and stored turns have them. */
export function dropCompactedItems(
  items: readonly JsonObject[],
  instructions: number,
): readonly JsonObject[] {
  const at = items.slice(0, -1).findLastIndex(isTrigger);
  if (at < 0) return items;
  if (items[at + 1]?.type !== 'compaction')
    throw invalidRequestError(`input.${at}`, 'a compaction_trigger must be the last item');
  return [...items.slice(0, instructions), ...items.slice(at + 1)];
}
