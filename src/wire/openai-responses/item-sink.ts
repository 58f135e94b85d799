import type { JsonObject } from '../../kernel/json.ts';
import type { Delta } from '../../kernel/message.ts';

/** Where an item stands in an answer. */
export interface ItemPosition {
  readonly item_id: string;
  readonly output_index: number;
}

/** What writers of items write to. */
export interface ItemSink {
  emit(type: string, fields: JsonObject): void;
  /** Gives the next item its place and announces it, under the id that it came with where it has to keep that. */
  openItem(prefix: string, itemFor: (id: string) => JsonObject, ownId?: string): ItemPosition;
  completeItem(itemPosition: ItemPosition, item: JsonObject): void;
}

/** A block that is being written. */
export interface BlockWriter {
  append(delta: Delta): void;
  stop(): void;
}
