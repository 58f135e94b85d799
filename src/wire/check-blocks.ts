import { isJsonObject } from '../kernel/json.ts';
import type { ChatRequest } from '../kernel/message.ts';
import { refuse } from './check-messages.ts';

/** A translator reads inside the blocks that a provider would otherwise have judged: what it needs must be there. */
export function checkBlocks({ system, messages }: ChatRequest): void {
  if (Array.isArray(system)) for (const [at, block] of system.entries()) checkBlock(block, `system.${at}`);
  for (const [at, { content }] of messages.entries())
    if (typeof content !== 'string')
      for (const [part, block] of content.entries()) checkBlock(block, `messages.${at}.content.${part}`);
}

function checkBlock(block: unknown, place: string): void {
  if (!isJsonObject(block)) throw refuse(place, 'a block must be an object');
  const needs = (field: string, kind: 'string' | 'object') => {
    const value = block[field];
    if (kind === 'string' ? typeof value !== 'string' : !isJsonObject(value))
      throw refuse(`${place}.${field}`, `must be ${article[kind]}`);
  };
  switch (block.type) {
    case 'text':
      needs('text', 'string');
      return;
    case 'thinking':
      needs('thinking', 'string');
      return;
    case 'redacted_thinking':
      needs('data', 'string');
      return;
    case 'image':
    case 'document':
      needs('source', 'object');
      return;
    case 'tool_use':
      needs('id', 'string');
      needs('name', 'string');
      return;
    case 'tool_result':
      needs('tool_use_id', 'string');
      checkResult(block.content, `${place}.content`);
  }
}

function checkResult(content: unknown, place: string): void {
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuse(place, 'must be a string or a list of blocks');
  for (const [at, block] of content.entries()) checkBlock(block, `${place}.${at}`);
}

const article = { string: 'a string', object: 'an object' };
