import type { Delta, ReplyEvent } from '../message.ts';
import { plainView, viewJsonText } from './json-text-view.ts';
import type { Events } from './rewrite-events.ts';

/** A range of text to be replaced. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export interface TextReplacerOptions {
  /**
   * Finds the ranges to replace from an offset on, in order and without overlap. The text before is context. Tool input
   * is JSON with its escapes resolved; replacements in it are escaped.
   */
  find(text: string, from: number): Iterable<TextMatch>;
  /** The maximum length of a range and its context. At most this much of a stream is held back until more arrives. */
  readonly holdBackChars: number;
  /** The offset at which the text may end with the beginning of a range, its length if it doesn't; all of it by default. */
  partialMatchAt?(text: string): number;
  /** The kinds of text: the model's text, its thinking, and its tool input as JSON; all by default. */
  readonly in?: readonly TextKind[];
}

type TextKind = 'text' | 'thinking' | 'tool-input';

/** For `reply.map`: replaces ranges of text that may be split anywhere, separately for each block. */
export function createTextReplacer({
  find,
  holdBackChars,
  partialMatchAt = () => 0,
  in: kinds = allKinds,
}: TextReplacerOptions) {
  const blocks = new Map<number, PendingBlock>();

  function appendDelta(index: number, delta: Delta): Events {
    const added = textOf(delta);
    if (added === undefined || !kinds.includes(added.kind)) {
      // Other deltas of a block follow its text.
      return [...releaseAll(index), { type: 'content_block_delta', index, delta }];
    }
    const block = blocks.get(index) ?? { kind: added.kind, text: '', emittedEnd: 0 };
    blocks.set(index, block);
    const before = block.text;
    block.text += added.text;
    try {
      return releaseText(index, block, false);
    } catch (fault) {
      block.text = before;
      throw fault;
    }
  }

  /** The rest of a block's text. */
  function releaseAll(index: number): Events {
    const block = blocks.get(index);
    return block === undefined ? [] : releaseText(index, block, true);
  }

  /** The text that can be sent now. */
  function releaseText(index: number, block: PendingBlock, isLast: boolean): Events {
    const { text: raw, kind } = block;
    const { text, offsetOf, indexOf } = kind === 'tool-input' ? viewJsonText(raw) : plainView(raw);
    const from = indexOf(block.emittedEnd);
    const heldFrom = Math.max(text.length - holdBackChars, partialMatchAt(text));
    const safeEnd = isLast ? text.length : Math.max(from, surrogateSafeEnd(text, heldFrom));
    let out = '';
    let at = from;
    for (const { start, end, replacement } of find(text, from)) {
      if (start >= safeEnd) break;
      out +=
        raw.slice(offsetOf(at), offsetOf(start)) +
        (kind === 'tool-input' ? JSON.stringify(replacement).slice(1, -1) : replacement);
      at = end;
    }
    const done = Math.max(at, safeEnd);
    const rawDone = isLast ? raw.length : offsetOf(done);
    out += raw.slice(offsetOf(at), rawDone);
    const context = offsetOf(Math.max(0, done - holdBackChars));
    block.text = raw.slice(context);
    block.emittedEnd = rawDone - context;
    return out === '' ? [] : [{ type: 'content_block_delta', index, delta: deltaOf(kind, out) }];
  }

  /** The text that is held back, unchanged. */
  const flush = (): Events =>
    [...blocks].flatMap(([index, { kind, text, emittedEnd }]) =>
      emittedEnd === text.length
        ? []
        : [{ type: 'content_block_delta', index, delta: deltaOf(kind, text.slice(emittedEnd)) }],
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
        const last = releaseAll(event.index);
        blocks.delete(event.index);
        return [...last, event];
      }
      default:
        return event;
    }
  };
  return Object.assign(rewrite, { flush });
}

/** Never splits a surrogate pair. */
function surrogateSafeEnd(text: string, end: number): number {
  const code = end > 0 ? text.charCodeAt(end - 1) : 0;
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

interface PendingBlock {
  readonly kind: TextKind;
  /** The held-back text, after the context that was already sent; as JSON for tool input. */
  text: string;
  emittedEnd: number;
}

const allKinds: readonly TextKind[] = ['text', 'thinking', 'tool-input'];

function textOf(delta: Delta): { readonly kind: TextKind; readonly text: string } | undefined {
  switch (delta.type) {
    case 'text_delta':
      return { kind: 'text', text: delta.text };
    case 'thinking_delta':
      return { kind: 'thinking', text: delta.thinking };
    case 'input_json_delta':
      return { kind: 'tool-input', text: delta.partial_json };
    default:
      return undefined;
  }
}

function deltaOf(kind: TextKind, text: string): Delta {
  switch (kind) {
    case 'text':
      return { type: 'text_delta', text };
    case 'thinking':
      return { type: 'thinking_delta', thinking: text };
    case 'tool-input':
      return { type: 'input_json_delta', partial_json: text };
  }
}
