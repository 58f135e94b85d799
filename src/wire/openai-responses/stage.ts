import type { JsonObject } from '../../kernel/json.ts';
import type { Delta } from '../../kernel/message.ts';

/** Where an item stands in an answer. */
export interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

/** What writers of items write to. */
export interface Stage {
  emit(type: string, fields: JsonObject): void;
  /** Gives the next item its place and announces it, under the id that it came with where it has to keep that. */
  open(prefix: string, itemFor: (id: string) => JsonObject, ownId?: string): Place;
  done(place: Place, item: JsonObject): void;
}

/** A block that is being written. */
export interface OpenBlock {
  grow(delta: Delta): void;
  stop(): void;
}
