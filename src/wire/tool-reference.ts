import { isJsonObject } from '../kernel/json.ts';
import type { TextBlock } from '../kernel/message.ts';

/** What a search for tools found, in words: a provider that knows no such results would read nothing at all. */
export function toolReferenceText(block: unknown): TextBlock | undefined {
  if (!isJsonObject(block) || block.type !== 'tool_reference') return undefined;
  return typeof block.tool_name === 'string' ? { type: 'text', text: block.tool_name } : undefined;
}
