import type { Answer, Block, TextBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignPartOf } from '../foreign.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { wrapOpaque } from '../opaque-data.ts';
import { freeTextOf } from '../openai/free-text.ts';
import { isRefusal } from '../openai/refusal.ts';
import { annotationsOf } from './annotations.ts';
import { freeTextTools } from './decode-tools.ts';
import { argumentsOf } from './encode-items.ts';
import { itemIdPrefixOf, stableItemIdOf } from './foreign-items.ts';
import { createNamespaceRestorer, type NamespacedToolUse } from './namespaces.ts';
import { unwrapReasoningItem } from './reasoning.ts';
import { statusFieldsOf } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';

export function encodeResponse(answer: Answer, clientBody: JsonObject, createdSeconds: number): JsonObject {
  const shell = createResponseSkeleton(answer, clientBody, createdSeconds);
  return {
    ...shell,
    ...statusFieldsOf(answer.stop_reason, answer.content.some(isRefusal)),
    completed_at: createdSeconds,
    output: encodeOutputItems(answer, clientBody),
    usage: encodeUsage(answer.usage),
  };
}

export function responseIdOf(id: string): string {
  return id.startsWith('resp_') ? id : `resp_${id}`;
}

/** The fields of every response, which mostly repeat the request. */
export function createResponseSkeleton(
  { id, model }: { readonly id: string; readonly model: string },
  clientBody: JsonObject,
  createdSeconds: number,
): JsonObject {
  const { effort = null, summary = null } = objectOf(clientBody.reasoning) ?? {};
  return {
    id: responseIdOf(id),
    object: 'response',
    created_at: createdSeconds,
    status: 'in_progress',
    background: clientBody.background === true,
    error: null,
    incomplete_details: null,
    instructions: clientBody.instructions ?? null,
    max_output_tokens: clientBody.max_output_tokens ?? null,
    model,
    output: [],
    parallel_tool_calls: clientBody.parallel_tool_calls ?? true,
    previous_response_id: clientBody.previous_response_id ?? null,
    reasoning: { effort, summary },
    store: clientBody.store ?? true,
    temperature: clientBody.temperature ?? 1,
    text: clientBody.text ?? { format: { type: 'text' } },
    tool_choice: clientBody.tool_choice ?? 'auto',
    tools: clientBody.tools ?? [],
    top_p: clientBody.top_p ?? 1,
    truncation: clientBody.truncation ?? 'disabled',
    usage: null,
    user: clientBody.user ?? null,
    metadata: clientBody.metadata ?? {},
  };
}

/** The output items of a reply. */
export function encodeOutputItems(answer: Answer, clientBody: JsonObject): readonly JsonObject[] {
  const free = freeTextTools(clientBody);
  const named = createNamespaceRestorer(clientBody);
  const items: JsonObject[] = [];
  const name = (prefix: string) => itemId(prefix, answer.id, items.length);
  let texts: TextBlock[] = [];
  const flush = () => {
    if (texts.length > 0) items.push(messageItem(name('msg'), texts.map(textPart), texts[0]?.phase));
    texts = [];
  };
  for (const block of answer.content) {
    if (block.type === 'text') {
      if (block.phase !== texts[0]?.phase) flush();
      texts.push(block);
      continue;
    }
    flush();
    if (block.type === 'tool_use')
      items.push(toolCallItem(name(free.has(block.name) ? 'ctc' : 'fc'), named(block), free.has(block.name)));
    else if (block.type === 'thinking')
      items.push(reasoningItem(name('rs'), block.thinking, sealedSignatureOf(block.signature)));
    else if (block.type === 'redacted_thinking') addRedactedReasoning(items, block.data, name('rs'));
    else {
      const item = foreignItemOf(block);
      if (item !== undefined)
        items.push({ ...item, id: stableItemIdOf(item, clientBody) ?? name(itemIdPrefixOf(item)) });
    }
  }
  const explanation =
    answer.stop_reason === 'refusal' ? stringOf(answer.stop_details?.explanation) : undefined;
  if (explanation !== undefined && texts.length === 0)
    items.push(messageItem(name('msg'), [{ type: 'refusal', refusal: explanation }]));
  flush();
  return items;
}

/** A format-specific item, unchanged. */
export function foreignItemOf(block: Block): JsonObject | undefined {
  const foreignPart = foreignPartOf(block);
  return foreignPart?.wire === 'openai-responses' ? foreignPart.part : undefined;
}

/** Adds encrypted reasoning to the summary before it if both are from the same item; the provider needs its original id. */
function addRedactedReasoning(items: JsonObject[], data: string, id: string): void {
  const own = unwrapReasoningItem(data);
  const before = items.at(-1);
  if (own !== undefined && before?.type === 'reasoning' && before.encrypted_content === sealedSignatureOf(''))
    items[items.length - 1] = { ...before, ...own };
  else
    items.push({
      ...reasoningItem(id, '', own === undefined ? wrapOpaque('redacted', data) : undefined),
      ...own,
    });
}

/** Also for unsigned thinking: the provider of this format rejects the item, and has to be spared it. */
export function sealedSignatureOf(signature = ''): string {
  return wrapOpaque('signature', signature);
}

export function itemId(prefix: string, answerId: string, index: number): string {
  return `${prefix}_${answerId}_${index}`;
}

export function messageItem(id: string, content: readonly JsonObject[], phase?: string): JsonObject {
  const item = { id, type: 'message', status: 'completed', role: 'assistant', content };
  return phase === undefined ? item : { ...item, phase };
}

function textPart(block: TextBlock): JsonObject {
  const { text } = block;
  if (isRefusal(block)) return { type: 'refusal', refusal: text };
  return { type: 'output_text', text, annotations: annotationsOf(block, text.length), logprobs: [] };
}

export function reasoningItem(id: string, text: string, encrypted: string | undefined): JsonObject {
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return { id, type: 'reasoning', summary, ...(encrypted !== undefined && { encrypted_content: encrypted }) };
}

export function toolCallItem(id: string, use: NamespacedToolUse, freeText = false): JsonObject {
  const { name, namespace } = use;
  const call = {
    id,
    status: 'completed',
    call_id: use.id,
    name,
    ...(namespace !== undefined && { namespace }),
  };
  if (freeText) return { ...call, type: 'custom_tool_call', input: freeTextOf(use) };
  return { ...call, type: 'function_call', arguments: argumentsOf(use) };
}
