import { type JsonObject, jsonObjectIn, type Source, SseParser } from '../../../module-api.ts';
import { limits } from '../limits.ts';

interface FrameRewrite {
  /** The fields with texts: frames without any of them stay as they are. */
  readonly fields: readonly string[];
  rewrite(data: JsonObject): JsonObject;
}

interface DeltaRewrite extends FrameRewrite {
  /** The field with pieces of a text. */
  readonly delta: string;
  rewriteText(text: string): string;
}

interface Frame {
  readonly event: string;
  readonly data: string;
}

/** A stream of events whose JSON is rewritten. Frames pass as soon as they are complete. */
export function rewriteFrames(bytes: Source<Uint8Array>, frameRewrite: FrameRewrite): Source<Uint8Array> {
  const parser = new SseParser();
  let isAtEnd = false;
  return {
    async next() {
      while (!isAtEnd) {
        const chunk = await bytes.next();
        isAtEnd = chunk === undefined;
        const frames = chunk === undefined ? parser.end() : parser.push(chunk);
        if (frames.length > 0) return writeFrames(frames.map((frame) => rewriteFrame(frame, frameRewrite)));
      }
      return undefined;
    },
    cancel: () => bytes.cancel(),
  };
}

/**
 * The same for a stream with pieces of a text, in which a finding may be anywhere between two pieces. It is held until it ends, and
 * the first piece gets the whole text. Recordings of hours have some hundred kilobytes of text.
 */
export function rewriteDeltas(bytes: Source<Uint8Array>, deltaRewrite: DeltaRewrite): Source<Uint8Array> {
  const parser = new SseParser();
  const held: Frame[] = [];
  let isAtEnd = false;
  return {
    async next() {
      if (isAtEnd) return undefined;
      let heldCharacters = 0;
      while (!isAtEnd) {
        const chunk = await bytes.next();
        isAtEnd = chunk === undefined;
        for (const frame of chunk === undefined ? parser.end() : parser.push(chunk)) {
          heldCharacters += frame.data.length;
          if (heldCharacters > limits.heldStreamCharactersMax)
            throw new Error('the stream is too long to be held until it ends');
          held.push(frame);
        }
      }
      return writeFrames(joinDeltas(held, deltaRewrite));
    },
    cancel: () => bytes.cancel(),
  };
}

function joinDeltas(
  frames: readonly Frame[],
  { delta, rewriteText, ...others }: DeltaRewrite,
): readonly Frame[] {
  const pieces = new Map(
    frames.flatMap((frame) => {
      const data = frame.data.includes(`"${delta}"`) ? jsonObjectIn(frame.data) : undefined;
      const piece = data?.[delta];
      return data !== undefined && typeof piece === 'string' ? [[frame, { data, piece }] as const] : [];
    }),
  );
  const text = [...pieces.values()].map(({ piece }) => piece).join('');
  const rewritten = rewriteText(text);
  let isFirst = true;
  return frames.flatMap((frame) => {
    const found = pieces.get(frame);
    if (found === undefined) return rewriteFrame(frame, others);
    if (rewritten === text) return frame;
    const isDelivered = !isFirst;
    isFirst = false;
    return isDelivered ? [] : { ...frame, data: JSON.stringify({ ...found.data, [delta]: rewritten }) };
  });
}

function rewriteFrame(frame: Frame, { fields, rewrite }: FrameRewrite): Frame {
  const parsed = fields.some((field) => frame.data.includes(`"${field}"`))
    ? jsonObjectIn(frame.data)
    : undefined;
  const rewritten = parsed && rewrite(parsed);
  return rewritten === parsed ? frame : { ...frame, data: JSON.stringify(rewritten) };
}

function writeFrames(frames: readonly Frame[]): Uint8Array {
  return Buffer.from(frames.map(writeFrame).join(''));
}

function writeFrame({ event, data }: Frame): string {
  const lines = data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('');
  return `${event === '' ? '' : `event: ${event}\n`}${lines}\n`;
}
