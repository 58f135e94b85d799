import { createHash } from 'node:crypto';
import type { CallIdShape } from '../kernel/acceptance.ts';
import type { Message } from '../kernel/message.ts';

/**
 * Maps each tool call id to one that the provider accepts: valid ids stay, others become the same unique id in every
 * turn. A call and its result change alike.
 */
export function createToolCallIdMapper(
  messages: readonly Message[],
  shape: CallIdShape | undefined,
): (id: string) => string {
  if (shape === undefined) return (id) => id;
  const ids = new Set(messages.flatMap(toolCallIdsIn));
  const mapped = new Map<string, string>();
  const taken = new Set<string>();
  for (const id of ids)
    if (shape.pattern.test(id)) {
      mapped.set(id, id);
      taken.add(id);
    }
  for (const id of ids) {
    if (mapped.has(id)) continue;
    const substitute = createSubstituteId(id, shape.chars, taken);
    mapped.set(id, substitute);
    taken.add(substitute);
  }
  return (id) => mapped.get(id) ?? id;
}

function toolCallIdsIn({ content }: Message): readonly string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block) => {
    if (block.type === 'tool_use') return [block.id];
    return block.type === 'tool_result' ? [block.tool_use_id] : [];
  });
}

function createSubstituteId(id: string, chars: number, taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt++) {
    const substitute = hashToLength(attempt === 0 ? id : `${attempt}:${id}`, chars);
    if (!taken.has(substitute)) return substitute;
  }
}

function hashToLength(text: string, chars: number): string {
  const digest = createHash('sha256').update(text).digest('hex');
  return BigInt(`0x${digest}`).toString(36).padStart(chars, '0').slice(-chars);
}
