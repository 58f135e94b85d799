import type { Delta, ReplyEvent } from '../message.ts';
import type { Events } from './rewrite-events.ts';

/** A range of text to be replaced. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface TextReplacerOptions {
  /** Finds the ranges to replace from an offset on, in order and without overlap. The text before is context. */
  find(text: string, from: number): Iterable<TextMatch>;
  /** The maximum length of a range and its context. This much of a stream is held back until more arrives. */
  readonly holdBackChars: number;
  /** The kinds of text: the model's text, its thinking, and its tool input as JSON; all by default. */
  readonly in?: readonly TextKind[];
}

type TextKind = 'text' | 'thinking' | 'tool-input';

/** For `reply.map`: replaces ranges of text that may be split anywhere, separately for each block. */
export function createTextReplacer({ find, holdBackChars, in: kinds = allKinds }: TextReplacerOptions) {
  const blocks = new Map<number, PendingBlock>();

  function appendDelta(index: number, delta: Delta): Events {
    const textKind = kindOf(delta);
    const block = blocks.get(index);
    if (textKind === undefined || !kinds.includes(textKind)) {
      // Other deltas of a block follow its text.
      const rest = block === undefined ? [] : releaseText(index, block, true);
      return [...rest, { type: 'content_block_delta', index, delta }];
    }
    const grownBlock = block ?? { kind: textKind, text: '', emittedEnd: 0 };
    blocks.set(index, grownBlock);
    const before = grownBlock.text;
    grownBlock.text += textOf(delta);
    try {
      return releaseText(index, grownBlock, false);
    } catch (fault) {
      grownBlock.text = before;
      throw fault;
    }
  }

  /** The text that can be sent now. */
  function releaseText(index: number, block: PendingBlock, isLast: boolean): Events {
    const { text, kind: textKind } = block;
    const safeEnd = isLast
      ? text.length
      : Math.max(block.emittedEnd, surrogateSafeEnd(text, text.length - holdBackChars));
    let out = '';
    let at = block.emittedEnd;
    for (const { start, end, replacement } of find(text, block.emittedEnd)) {
      if (start >= safeEnd) break;
      out +=
        text.slice(at, start) +
        (textKind === 'tool-input' ? JSON.stringify(replacement).slice(1, -1) : replacement);
      at = end;
    }
    const done = Math.max(at, safeEnd);
    out += text.slice(at, done);
    const context = Math.max(0, done - holdBackChars);
    block.text = text.slice(context);
    block.emittedEnd = done - context;
    return out === '' ? [] : [{ type: 'content_block_delta', index, delta: deltaOf(textKind, out) }];
  }

  const held = (): Events =>
    [...blocks].flatMap(([index, { kind: textKind, text, emittedEnd }]) =>
      emittedEnd === text.length
        ? []
        : [{ type: 'content_block_delta', index, delta: deltaOf(textKind, text.slice(emittedEnd)) }],
    );
  const rewrite = (event: ReplyEvent): ReplyEvent | Events => {
    switch (event.type) {
      case 'content_block_start': {
        const { content_block: block, index } = event;
        if (block.type !== 'text' || block.text === '') return event;
        const start: ReplyEvent = { ...event, content_block: { ...block, text: '' } };
        return [start, ...appendDelta(index, { type: 'text_delta', text: block.text })];
      }
      case 'content_block_delta':
        return appendDelta(event.index, event.delta);
      case 'content_block_stop': {
        const block = blocks.get(event.index);
        const last = block === undefined ? [] : releaseText(event.index, block, true);
        blocks.delete(event.index);
        return [...last, event];
      }
      default:
        return event;
    }
  };
  return Object.assign(rewrite, { flush: held });
}

/** Never splits a surrogate pair. */
function surrogateSafeEnd(text: string, end: number): number {
  const code = end > 0 ? text.charCodeAt(end - 1) : 0;
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

interface PendingBlock {
  readonly kind: TextKind;
  /** The held-back text, after the context that was already sent. */
  text: string;
  emittedEnd: number;
}

const allKinds: readonly TextKind[] = ['text', 'thinking', 'tool-input'];

function kindOf({ type }: Delta): TextKind | undefined {
  switch (type) {
    case 'text_delta':
      return 'text';
    case 'thinking_delta':
      return 'thinking';
    case 'input_json_delta':
      return 'tool-input';
    default:
      return undefined;
  }
}

function textOf(delta: Delta): string {
  switch (delta.type) {
    case 'text_delta':
      return delta.text;
    case 'thinking_delta':
      return delta.thinking;
    case 'input_json_delta':
      return delta.partial_json;
    default:
      return '';
  }
}

function deltaOf(textKind: TextKind, text: string): Delta {
  switch (textKind) {
    case 'text':
      return { type: 'text_delta', text };
    case 'thinking':
      return { type: 'thinking_delta', thinking: text };
    case 'tool-input':
      return { type: 'input_json_delta', partial_json: text };
  }
}
