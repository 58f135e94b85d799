import type { Delta, ReplyEvent } from '../message.ts';
import type { Events } from './rewritten.ts';

/** A piece of text that is to be replaced. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

interface Replacing {
  /** What is to be replaced in a text from a place on, in order and without overlap. What stands before is context. */
  find(text: string, from: number): Iterable<Found>;
  /** No piece is longer, or looks further around, than this. So much of a stream is held back until more is there. */
  readonly holdBackChars: number;
  /** In what the model says, what it thinks, and what it gives to tools, as JSON; in all of them unless said. */
  readonly in?: readonly Kind[];
}

type Kind = 'text' | 'thinking' | 'tool-input';

/** For `reply.map`: replaces pieces of text that may be cut anywhere, each block of an answer for itself. */
export function replacing({ find, holdBackChars, in: kinds = allKinds }: Replacing) {
  const blocks = new Map<number, Held>();

  function grown(index: number, delta: Delta): Events {
    const kind = kindOf(delta);
    const block = blocks.get(index);
    if (kind === undefined || !kinds.includes(kind)) {
      // Whatever else a block has comes behind its text.
      const rest = block === undefined ? [] : released(index, block, true);
      return [...rest, { type: 'content_block_delta', index, delta }];
    }
    const grownBlock = block ?? { kind, text: '', done: 0 };
    blocks.set(index, grownBlock);
    const before = grownBlock.text;
    grownBlock.text += textOf(delta);
    try {
      return released(index, grownBlock, false);
    } catch (fault) {
      grownBlock.text = before;
      throw fault;
    }
  }

  /** What can go out now. */
  function released(index: number, block: Held, isLast: boolean): Events {
    const { text, kind } = block;
    const safeEnd = isLast ? text.length : Math.max(block.done, wholeEnd(text, text.length - holdBackChars));
    let out = '';
    let at = block.done;
    for (const { start, end, by } of find(text, block.done)) {
      if (start >= safeEnd) break;
      out += text.slice(at, start) + (kind === 'tool-input' ? JSON.stringify(by).slice(1, -1) : by);
      at = end;
    }
    const done = Math.max(at, safeEnd);
    out += text.slice(at, done);
    const context = Math.max(0, done - holdBackChars);
    block.text = text.slice(context);
    block.done = done - context;
    return out === '' ? [] : [{ type: 'content_block_delta', index, delta: deltaOf(kind, out) }];
  }

  const held = (): Events =>
    [...blocks].flatMap(([index, { kind, text, done }]) =>
      done === text.length
        ? []
        : [{ type: 'content_block_delta', index, delta: deltaOf(kind, text.slice(done)) }],
    );
  const rewrite = (event: ReplyEvent): ReplyEvent | Events => {
    switch (event.type) {
      case 'content_block_start': {
        const { content_block: block, index } = event;
        if (block.type !== 'text' || block.text === '') return event;
        const start: ReplyEvent = { ...event, content_block: { ...block, text: '' } };
        return [start, ...grown(index, { type: 'text_delta', text: block.text })];
      }
      case 'content_block_delta':
        return grown(event.index, event.delta);
      case 'content_block_stop': {
        const block = blocks.get(event.index);
        const last = block === undefined ? [] : released(event.index, block, true);
        blocks.delete(event.index);
        return [...last, event];
      }
      default:
        return event;
    }
  };
  return Object.assign(rewrite, { flush: held });
}

/** Not between the two halves of a character. */
function wholeEnd(text: string, end: number): number {
  const code = end > 0 ? text.charCodeAt(end - 1) : 0;
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

interface Held {
  readonly kind: Kind;
  /** What is held, behind what has gone out and is kept as context. */
  text: string;
  done: number;
}

const allKinds: readonly Kind[] = ['text', 'thinking', 'tool-input'];

function kindOf({ type }: Delta): Kind | undefined {
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

function deltaOf(kind: Kind, text: string): Delta {
  switch (kind) {
    case 'text':
      return { type: 'text_delta', text };
    case 'thinking':
      return { type: 'thinking_delta', thinking: text };
    case 'tool-input':
      return { type: 'input_json_delta', partial_json: text };
  }
}
