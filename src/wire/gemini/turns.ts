import type { Block, Message } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { attachOriginals } from '../originals.ts';

/** Consecutive contents or steps of one role. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly from: readonly JsonObject[];
}

export function groupTurns(
  items: readonly JsonObject[],
  roleOf: (item: JsonObject) => Turn['role'],
): readonly Turn[] {
  const turns: { role: Turn['role']; from: JsonObject[] }[] = [];
  for (const item of items) {
    const role = roleOf(item);
    const last = turns.at(-1);
    if (last?.role === role) last.from.push(item);
    else turns.push({ role, from: [item] });
  }
  return turns;
}

/** The message of a turn with these blocks. */
export function messageOf({ role, from }: Turn, blocks: readonly Block[]): Message {
  const [only, another] = blocks;
  const content = only?.type === 'text' && another === undefined ? only.text : blocks;
  return attachOriginals({ role, content }, from);
}
