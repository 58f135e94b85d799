import type { ChatRequest } from '../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { invalidRequestError } from './check-messages.ts';

/** Checks the parts of blocks that translation reads, since the client's own provider can't validate them. */
export function checkBlocks({ system, messages }: ChatRequest): void {
  if (Array.isArray(system)) for (const [at, block] of system.entries()) checkBlock(block, `system.${at}`);
  for (const [at, { content }] of messages.entries())
    if (typeof content !== 'string')
      for (const [part, block] of content.entries()) checkBlock(block, `messages.${at}.content.${part}`);
}

function checkBlock(block: unknown, path: string): void {
  if (!isJsonObject(block)) throw invalidRequestError(path, 'a block must be an object');
  const needs = (field: string) => checkString(block, field, path);
  needs('type');
  switch (block.type) {
    case 'text':
      needs('text');
      return;
    case 'thinking':
      needs('thinking');
      return;
    case 'redacted_thinking':
      needs('data');
      return;
    case 'image':
      checkSource(block.source, `${path}.source`);
      return;
    case 'document':
      checkSource(block.source, `${path}.source`);
      if (block.title != null) needs('title');
      return;
    case 'tool_use':
      needs('id');
      needs('name');
      return;
    case 'tool_result':
      needs('tool_use_id');
      checkToolResult(block.content, `${path}.content`);
  }
}

function checkToolResult(content: unknown, path: string): void {
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) throw invalidRequestError(path, 'must be a string or a list of blocks');
  for (const [at, block] of content.entries()) checkBlock(block, `${path}.${at}`);
}

function checkSource(source: unknown, path: string): void {
  if (!isJsonObject(source)) throw invalidRequestError(path, 'must be an object');
  checkString(source, 'type', path);
  for (const field of stringFieldsBySourceType.get(source.type) ?? []) checkString(source, field, path);
}

/** String fields by source type. */
const stringFieldsBySourceType: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['base64', ['media_type', 'data']],
  ['text', ['media_type', 'data']],
  ['url', ['url']],
  ['file', ['file_id']],
]);

function checkString(object: JsonObject, field: string, path: string): void {
  if (typeof object[field] !== 'string') throw invalidRequestError(`${path}.${field}`, 'must be a string');
}
