import { type JsonObject, jsonObjectIn, type Source, SseParser } from '../../../module-api.ts';
import { limits } from '../limits.ts';

interface FrameRewrite {
  /** The fields with texts: frames without any of them stay as they are. */
  readonly fields: readonly string[];
  rewrite(data: JsonObject): JsonObject;
}

/** Rewrites the answers in which pieces of the text `whole` stand. */
export type RewriteAnswers = (
  answers: readonly JsonObject[],
  whole: string | undefined,
) => readonly JsonObject[];

interface DeltaRewrite {
  /** The fields with texts. */
  readonly fields: readonly string[];
  readonly rewriteAll: RewriteAnswers;
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
  { fields, delta, rewriteAll, rewriteText }: DeltaRewrite,
): readonly Frame[] {
  const names = [delta, ...fields].map((name) => `"${name}"`);
  const parsed = frames.map(({ data }) =>
    names.some((name) => data.includes(name)) ? jsonObjectIn(data) : undefined,
  );
  const pieces = parsed.flatMap((data) => (typeof data?.[delta] === 'string' ? [data[delta]] : []));
  const text = pieces.join('');
  const rewrittenText = rewriteText(text);
  const rewritten = rewriteAll(
    parsed.filter((data) => data !== undefined),
    pieces.length > 0 ? text : textOf(parsed),
  ).values();
  let isFirst = true;
  return frames.flatMap((frame, at) => {
    const before = parsed[at];
    const data = before && rewritten.next().value;
    if (data === undefined) return frame;
    if (typeof data[delta] !== 'string' || rewrittenText === text)
      return data === before ? frame : { ...frame, data: JSON.stringify(data) };
    const isDelivered = !isFirst;
    isFirst = false;
    return isDelivered ? [] : { ...frame, data: JSON.stringify({ ...data, [delta]: rewrittenText }) };
  });
}

/** The longest text of the events is the one at their end. */
function textOf(events: readonly (JsonObject | undefined)[]): string | undefined {
  return events
    .flatMap((event) => (typeof event?.text === 'string' ? [event.text] : []))
    .reduce<string | undefined>(
      (longest, text) => (text.length > (longest ?? '').length ? text : longest),
      undefined,
    );
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
