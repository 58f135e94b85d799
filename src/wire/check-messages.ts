import { GatewayError } from '../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';

export function invalidRequestError(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${message}`, { param });
}

export function checkModel(body: JsonObject): string {
  const { model } = body;
  if (typeof model !== 'string' || model === '')
    throw invalidRequestError('model', 'a model name is required');
  return model;
}

/** Checks that the messages are objects with a role. */
export function checkMessages(body: JsonObject): readonly JsonObject[] {
  const { messages } = body;
  if (!Array.isArray(messages)) throw invalidRequestError('messages', 'a list of messages is required');
  if (messages.length === 0) throw invalidRequestError('messages', 'at least one message is required');
  for (const [at, message] of messages.entries()) {
    if (!isJsonObject(message)) throw invalidRequestError(`messages.${at}`, 'a message must be an object');
    if (typeof message.role !== 'string')
      throw invalidRequestError(`messages.${at}.role`, 'a role is required');
  }
  return messages;
}

export function checkTokenLimit(body: JsonObject, field: string, min = 1): void {
  const value = body[field];
  if (value === undefined || value === null) return;
  if (!Number.isInteger(value) || Number(value) < min)
    throw invalidRequestError(field, `must be an integer of at least ${min}`);
}
