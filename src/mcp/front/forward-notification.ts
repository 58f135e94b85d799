import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { EventStream } from './event-stream.ts';

/** The levels of the log, the least first. */
export const logLevels: readonly string[] = [
  ...(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const),
];

export interface WantedNotifications {
  readonly progressToken: unknown;
  /** The least level that the client wants; undefined for no messages. */
  readonly logLevel: unknown;
}

/** Passes on what a server says during a request; undefined for a client that would not get it. */
export function forwardNotification(
  stream: EventStream | undefined,
  { progressToken, logLevel }: WantedNotifications,
): ((notification: JsonObject) => void) | undefined {
  if (stream === undefined) return undefined;
  return ({ method, params }) => {
    const fields = isJsonObject(params) ? params : {};
    if (method === 'notifications/message') {
      if (isWanted(fields.level, logLevel)) stream.offer(notificationText(method, fields));
    } else if (method === 'notifications/progress' && progressToken !== undefined)
      stream.offer(notificationText(method, { ...fields, progressToken }));
  };
}

function isWanted(level: unknown, least: unknown): boolean {
  return typeof least === 'string' && logLevels.indexOf(String(level)) >= logLevels.indexOf(least);
}

function notificationText(method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}
