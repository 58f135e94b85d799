import { mapStrings } from '../../lib/map-items.ts';
import type { Block, ReplyEvent } from '../message.ts';
import type { Rewrite } from './rewrite-events.ts';
import { createTextReplacer, type TextReplacerOptions } from './text-replacer.ts';

/** For `reply.map`: like `createTextReplacer`, and also in content that isn't streamed as text: citations, results of tools of the provider. */
export function createContentReplacer(options: TextReplacerOptions): Rewrite {
  const replaceText = createTextReplacer(options);
  const replaceAll = (text: string): string => {
    let replaced = '';
    let at = 0;
    for (const { start, end, replacement } of options.find(text, 0)) {
      replaced += text.slice(at, start) + replacement;
      at = end;
    }
    return at === 0 ? text : replaced + text.slice(at);
  };
  const rewrite = (event: ReplyEvent) => replaceText(replaceWhole(event, replaceAll));
  return Object.assign(rewrite, { flush: replaceText.flush });
}

function replaceWhole(event: ReplyEvent, replace: (text: string) => string): ReplyEvent {
  if (event.type === 'content_block_start') {
    const { content_block: block } = event;
    const replaced = isText(block) ? block : mapStrings(block, replace);
    return replaced === block ? event : { ...event, content_block: replaced };
  }
  if (event.type !== 'content_block_delta') return event;
  const { delta } = event;
  const isWhole = delta.type === 'citations_delta' || delta.type === 'foreign_delta';
  return isWhole ? { ...event, delta: mapStrings(delta, replace) } : event;
}

function isText({ type }: Block): boolean {
  return type === 'text' || type === 'thinking' || type === 'redacted_thinking';
}
