import { parseExact } from '../../lib/json.ts';
import type { Answer, Block, Delta, ReplyEvent, StopDetails, Usage } from '../message.ts';

/** The events of this answer as a stream. */
export function* answerToEvents(answer: Answer): Generator<ReplyEvent> {
  const { content, stop_reason, stop_sequence, stop_details, usage } = answer;
  // An answer without usage starts without usage.
  const atStart = usage.output_tokens === undefined ? usage : { ...usage, output_tokens: 0 };
  yield {
    type: 'message_start',
    message: { ...answer, content: [], stop_reason: null, stop_sequence: null, usage: atStart },
  };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: clearBlock(block) };
    for (const delta of deltasOf(block)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason, stop_sequence, ...detailsOf(stop_details) };
  yield { type: 'message_delta', delta, usage };
  yield { type: 'message_stop' };
}

/** The subset of those events for readers of milestones. */
export function milestoneEvents(answer: Answer): readonly ReplyEvent[] {
  const { content, stop_reason, stop_sequence, stop_details, usage } = answer;
  const [first] = content;
  const events: ReplyEvent[] = [{ type: 'message_start', message: answer }];
  if (first !== undefined) events.push({ type: 'content_block_start', index: 0, content_block: first });
  events.push(
    { type: 'message_delta', delta: { stop_reason, stop_sequence, ...detailsOf(stop_details) }, usage },
    { type: 'message_stop' },
  );
  return events;
}

function detailsOf(stop_details: Answer['stop_details']): Pick<Answer, 'stop_details'> {
  return stop_details == null ? {} : { stop_details };
}

function clearBlock(block: Block): Block {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'tool_use':
      return { ...block, input: {} };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    default:
      return block;
  }
}

function* deltasOf(block: Block): Generator<Delta> {
  switch (block.type) {
    case 'text':
      yield { type: 'text_delta', text: block.text };
      return;
    case 'tool_use':
      yield { type: 'input_json_delta', partial_json: JSON.stringify(block.input) ?? '{}' };
      return;
    case 'thinking':
      if (block.thinking !== '') yield { type: 'thinking_delta', thinking: block.thinking };
      if (block.signature !== undefined) yield { type: 'signature_delta', signature: block.signature };
      return;
    default:
      return;
  }
}

interface OpenBlock {
  block: Block;
  json: string;
}

/** Builds an answer from its events. */
export class AnswerBuilder {
  #message: Answer | undefined;
  /** By block index, which the provider chooses. */
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: Usage = {};
  #stopReason: string | null = null;
  #stopSequence: string | null = null;
  #stopDetails: StopDetails | undefined;
  finished = false;

  push(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#message = event.message;
        this.#usage = mergeUsage(this.#usage, event.message.usage);
        return;
      case 'content_block_start':
        this.#blocks.set(event.index, { block: event.content_block, json: '' });
        return;
      case 'content_block_delta': {
        const openBlock = this.#blocks.get(event.index);
        if (openBlock !== undefined) applyDelta(openBlock, event.delta);
        return;
      }
      case 'message_delta':
        // A later delta with only usage must not clear the stop reason.
        if (event.delta.stop_reason != null) this.#stopReason = event.delta.stop_reason;
        if (event.delta.stop_details != null) this.#stopDetails = event.delta.stop_details;
        if (event.delta.stop_sequence != null) this.#stopSequence = event.delta.stop_sequence;
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'message_stop':
        this.finished = true;
        return;
      default:
        return;
    }
  }

  answer(): Answer | undefined {
    if (this.#message === undefined) return undefined;
    const inOrder = [...this.#blocks].sort(([one], [other]) => one - other);
    const content = inOrder.map(([, openBlock]) => finishBlock(openBlock));
    return {
      ...this.#message,
      content,
      stop_reason: this.#stopReason,
      stop_sequence: this.#stopSequence,
      ...(this.#stopDetails === undefined ? {} : { stop_details: this.#stopDetails }),
      usage: this.#usage,
    };
  }
}

function applyDelta(openBlock: OpenBlock, delta: Delta): void {
  const { block } = openBlock;
  switch (delta.type) {
    case 'text_delta':
      if (block.type === 'text') openBlock.block = { ...block, text: block.text + delta.text };
      return;
    case 'input_json_delta':
      openBlock.json += delta.partial_json;
      return;
    case 'thinking_delta':
      if (block.type === 'thinking')
        openBlock.block = { ...block, thinking: block.thinking + delta.thinking };
      return;
    case 'signature_delta':
      if (block.type === 'thinking')
        openBlock.block = { ...block, signature: (block.signature ?? '') + delta.signature };
      return;
    case 'citations_delta': {
      const before = 'citations' in block && Array.isArray(block.citations) ? block.citations : [];
      openBlock.block = Object.assign({}, block, { citations: [...before, delta.citation] });
      return;
    }
    case 'compaction_delta': {
      const { type: _, ...compacted } = delta;
      openBlock.block = Object.assign({}, block, compacted);
      return;
    }
    case 'foreign_delta':
      if (delta.part !== undefined) openBlock.block = Object.assign({}, block, { part: delta.part });
      return;
  }
}

/** Parses the concatenated tool input; keeps invalid JSON as text, for the reader to judge. */
function finishBlock({ block, json }: OpenBlock): Block {
  if (json === '' || !('input' in block)) return block;
  try {
    return { ...block, input: parseExact(json) };
  } catch {
    return { ...block, input: json };
  }
}

/** Merges by field: present values override, including 0; absent ones don't. */
export function mergeUsage(before: Usage, update: Usage | null | undefined): Usage {
  if (update == null) return before;
  const merged: Record<string, unknown> = { ...before };
  const fields: Readonly<Record<string, unknown>> = { ...update };
  for (const name in fields) if (fields[name] != null) merged[name] = fields[name];
  return merged;
}
