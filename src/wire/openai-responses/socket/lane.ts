/** Adds the lane to the text of a JSON object. */
export function withLane(json: string, lane: string | undefined): string {
  if (lane === undefined) return json;
  const separator = json === '{}' ? '' : ',';
  return `{"stream_id":${JSON.stringify(lane)}${separator}${json.slice(1)}`;
}
