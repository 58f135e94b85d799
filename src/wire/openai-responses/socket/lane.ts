import { parseObject } from '../../json-values.ts';

/** Adds the lane to the text of a JSON object. */
export function withLane(json: string, lane: string | undefined): string {
  if (lane === undefined) return json;
  const separator = json === '{}' ? '' : ',';
  return `{"stream_id":${JSON.stringify(lane)}${separator}${json.slice(1)}`;
}

/** Whether the text of an event has a lane already; events of providers with lanes do. */
export function hasLane(json: string): boolean {
  return json.includes('"stream_id"') && parseObject(json)?.stream_id !== undefined;
}
