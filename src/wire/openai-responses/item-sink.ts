import type { Delta } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';

/** The position of an item in a response. */
export interface ItemPosition {
  readonly item_id: string;
  readonly output_index: number;
}

/** What item writers write to. */
export interface ItemSink {
  emit(type: string, fields: JsonObject): void;
  /** Assigns the next position and announces the item, under its original id if it has to keep that. */
  openItem(prefix: string, itemFor: (id: string) => JsonObject, ownId?: string): ItemPosition;
  completeItem(itemPosition: ItemPosition, item: JsonObject): void;
}

/** Writes one block. */
export interface BlockWriter {
  append(delta: Delta): void;
  stop(): void;
}
