import type { ChatRequest } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { checkMessages, checkModel, checkTokenLimit, invalidRequestError } from '../check-messages.ts';

/** Checks what the gateway itself reads and returns the same body; the provider validates the rest. */
export function checkRequest(body: JsonObject): ChatRequest {
  checkModel(body);
  // Without output, the provider only fills its prompt cache.
  checkTokenLimit(body, 'max_tokens', 0);
  const messages = resumesThread(body) ? [] : checkMessages(body);
  for (const [at, message] of messages.entries()) {
    if (checkedMessages.has(message)) continue;
    if (!isSettingsMessage(message)) checkContent(message.content, `messages.${at}.content`);
    checkedMessages.add(message);
  }
  const { system, tools } = body;
  if (system !== undefined && typeof system !== 'string') checkBlocks(system, 'system');
  if (tools !== undefined) checkObjects(tools, 'tools', 'a list');
  if (!messages.some(isSettingsMessage)) return asRequest(body);
  const withContent = messages.map((message) =>
    isSettingsMessage(message) ? { ...message, content: [] } : message,
  );
  return asRequest({ ...body, messages: withContent });
}

/** Those that a recent call had are the same objects. */
const checkedMessages = new WeakSet<object>();

/** A system message that only changes settings, such as the effort. */
function isSettingsMessage({ role, content }: JsonObject): boolean {
  return role === 'system' && content === undefined;
}

/** A thread whose model paused goes on without a new message. */
function resumesThread({ thread, messages }: JsonObject): boolean {
  return (
    isJsonObject(thread) && thread.type === 'continue' && Array.isArray(messages) && messages.length === 0
  );
}

function checkContent(content: unknown, path: string): void {
  if (typeof content !== 'string') checkBlocks(content, path);
}

function checkBlocks(blocks: unknown, path: string): void {
  for (const [at, block] of checkObjects(blocks, path, 'a string or a list of blocks').entries())
    if (typeof block.type !== 'string') throw invalidRequestError(`${path}.${at}.type`, 'is required');
}

function checkObjects(list: unknown, path: string, expected: string): readonly JsonObject[] {
  if (!Array.isArray(list)) throw invalidRequestError(path, `must be ${expected}`);
  for (const [at, item] of list.entries())
    if (!isJsonObject(item)) throw invalidRequestError(`${path}.${at}`, 'must be an object');
  return list;
}

function asRequest(body: JsonObject): ChatRequest {
  const checked: unknown = body;
  return checked as ChatRequest;
}
