import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Delta, ForeignDelta } from '../../kernel/message.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../read.ts';
import { isOfProvider } from './client-runs.ts';
import type { OpenBlock, Place, Stage } from './stage.ts';

/** Whether an item of an answer is of a kind that no other format has. */
export function isOwnItem({ type }: JsonObject): boolean {
  return typeof type === 'string' && !shared.has(type);
}

const shared: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call']);

/** Such an item of an answer as a block, which says whether the client has to answer to it, and by which id. */
export function ownBlock(item: JsonObject): Block {
  const block = Object.assign(foreignBlock('openai-responses', item), { isFromAnswer: true });
  if (item.type === 'mcp_approval_request') return Object.assign(block, { awaits: null });
  return isClientsCall(item) ? Object.assign(block, { awaits: item.call_id }) : block;
}

function isClientsCall(item: JsonObject): boolean {
  const { type, call_id, environment } = item;
  if (typeof type !== 'string' || !type.endsWith('_call') || typeof call_id !== 'string') return false;
  return !isOfProvider(item) && objectOf(environment)?.type !== 'container_reference';
}

/** What a stream says of such an item, by frame: the last one has all of it. */
export function ownDelta(frame: JsonObject): ForeignDelta {
  const part = frame.type === 'response.output_item.done' ? objectOf(frame.item) : undefined;
  return part === undefined ? { type: 'foreign_delta', frame } : { type: 'foreign_delta', part };
}

/**
 * The id that an item has to keep. Providers that store answers look items up by it and want those back that stood beside it, which
 * have other names when an answer was written anew; so it is kept only where nothing is stored, and by what is read under it alone.
 */
export function keptIdOf({ id, encrypted_content }: JsonObject, { store }: JsonObject): string | undefined {
  return store === false || typeof encrypted_content === 'string' ? stringOf(id) : undefined;
}

/** As it goes back to its provider. */
export function withKeptId(item: JsonObject, asked: JsonObject): JsonObject {
  if (keptIdOf(item, asked) !== undefined) return item;
  const { id: _, ...rest } = item;
  return rest;
}

/** Whether nobody but us has sent it so far. */
export function isFromAnswer(block: Block): boolean {
  return 'isFromAnswer' in block && block.isFromAnswer === true;
}

/** What ids of such an item begin with. */
export function prefixOf({ id }: JsonObject): string {
  return /^[a-z]+(?=_)/.exec(stringOf(id) ?? '')?.[0] ?? 'item';
}

/** Writes such an item as it came, at its place in this answer. */
export class OwnItemWriter implements OpenBlock {
  readonly #stage: Stage;
  readonly #place: Place;
  #item: JsonObject;

  constructor(stage: Stage, item: JsonObject, asked: JsonObject) {
    this.#stage = stage;
    this.#item = item;
    this.#place = stage.open(prefixOf(item), (id) => ({ ...item, id }), keptIdOf(item, asked));
  }

  grow(delta: Delta): void {
    if (delta.type !== 'foreign_delta') return;
    if (delta.part !== undefined) this.#item = delta.part;
    const { type, item_id, sequence_number: _, ...fields } = delta.frame ?? {};
    if (typeof type !== 'string') return;
    const named = item_id === undefined ? {} : { item_id: this.#place.item_id };
    this.#stage.emit(type, { ...fields, ...named, output_index: this.#place.output_index });
  }

  stop(): void {
    this.#stage.done(this.#place, { ...this.#item, id: this.#place.item_id });
  }
}
