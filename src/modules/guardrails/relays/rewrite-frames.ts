import { isJsonObject, type JsonObject, type Source, SseParser } from '../../../module-api.ts';

/** A stream of events whose JSON is rewritten if it has one of these fields. Frames pass as soon as they are complete. */
export function rewriteFrames(
  bytes: Source<Uint8Array>,
  fields: readonly string[],
  rewrite: (data: JsonObject) => JsonObject,
): Source<Uint8Array> {
  const parser = new SseParser();
  let isAtEnd = false;
  return {
    async next() {
      while (!isAtEnd) {
        const chunk = await bytes.next();
        isAtEnd = chunk === undefined;
        const frames = chunk === undefined ? parser.end() : parser.push(chunk);
        if (frames.length === 0) continue;
        return Buffer.from(
          frames.map(({ event, data }) => writeFrame(event, rewriteData(data, fields, rewrite))).join(''),
        );
      }
      return undefined;
    },
    cancel: () => bytes.cancel(),
  };
}

function rewriteData(
  data: string,
  fields: readonly string[],
  rewrite: (data: JsonObject) => JsonObject,
): string {
  if (!fields.some((field) => data.includes(`"${field}"`))) return data;
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    return data;
  }
  if (!isJsonObject(parsed)) return data;
  const rewritten = rewrite(parsed);
  return rewritten === parsed ? data : JSON.stringify(rewritten);
}

function writeFrame(event: string, data: string): string {
  const lines = data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('');
  return `${event === '' ? '' : `event: ${event}\n`}${lines}\n`;
}
