import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { EventStream } from './event-stream.ts';

/** Passes on what a server says during a request; undefined for a client that would not get it. */
export function forwardNotification(
  stream: EventStream | undefined,
  progressToken: unknown,
): ((notification: JsonObject) => void) | undefined {
  if (stream === undefined) return undefined;
  return ({ method, params }) => {
    const fields = isJsonObject(params) ? params : {};
    if (method === 'notifications/message') stream.offer(notificationText(method, fields));
    else if (method === 'notifications/progress' && progressToken !== undefined)
      stream.offer(notificationText(method, { ...fields, progressToken }));
  };
}

export function notificationText(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}
