import { markTexts } from '../../kernel/scan/scan.ts';
import type { JsonObject } from '../../lib/json.ts';
import { createForeignContentReplacer, mapObjects } from '../foreign-content.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { isWrappedOpaque, sealedTexts } from '../opaque-data.ts';
import { capabilitiesOf } from './model-capabilities.ts';

/** Removes the thinking of other makers' models: sealed for everyone, and unsigned for Claude, which rejects it. */
export const replaceForeignContent = createForeignContentReplacer({
  marks: [sealedTexts, markTexts('"', 'signature')],
  replace(body, model, dropped) {
    const isForeign = (block: JsonObject) =>
      isSealed(block) || (model.includes('claude') && isUnsigned(block));
    const messages = mapObjects(body.messages, (message) => {
      const content = mapObjects(message.content, (block) => {
        if (!isForeign(block)) return block;
        dropped.add(`messages[].content[].${String(block.type)}`);
        return undefined;
      });
      if (content === message.content) return message;
      return Array.isArray(content) && content.length === 0 ? undefined : { ...message, content };
    });
    if (messages === body.messages) return undefined;
    return { messages, ...thinkingFieldsFor({ ...body, messages }, model, dropped) };
  },
});

function isSealed({ type, data }: JsonObject): boolean {
  return type === 'redacted_thinking' && typeof data === 'string' && isWrappedOpaque(data);
}

function isUnsigned({ type, signature }: JsonObject): boolean {
  return type === 'thinking' && signature === '';
}

/** With a budget, a tool loop must start with thinking. */
function thinkingFieldsFor(body: JsonObject, model: string, dropped: Set<string>): JsonObject {
  if (objectOf(body.thinking)?.type !== 'enabled' || !isToolLoopWithoutThinking(body)) return {};
  if (capabilitiesOf(model).thinkingControl === 'by effort') return { thinking: { type: 'adaptive' } };
  dropped.add('thinking');
  return { thinking: undefined, ...contextManagementOf(body) };
}

function isToolLoopWithoutThinking({ messages }: JsonObject): boolean {
  const turn = objectsOf(messages).findLast(({ role }) => role === 'assistant');
  const types = new Set(objectsOf(turn?.content).map(({ type }) => type));
  return types.has('tool_use') && !types.has('thinking') && !types.has('redacted_thinking');
}

/** Thinking can be cleared only while it is enabled. */
export function contextManagementOf({ context_management: before }: JsonObject): JsonObject {
  const context = objectOf(before);
  if (context === undefined) return {};
  const edits = objectsOf(context.edits).filter(
    ({ type }) => stringOf(type)?.startsWith('clear_thinking') !== true,
  );
  return { context_management: edits.length === 0 ? undefined : { ...context, edits } };
}
