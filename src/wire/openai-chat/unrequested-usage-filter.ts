import type { ByteFilter } from '../../kernel/reply/filter-bytes.ts';
import { depthAt } from '../../lib/json-scan.ts';
import { FrameGate } from '../frame-gate.ts';
import { objectOf, parseObject } from '../json-values.ts';

/**
 * Removes what the gateway's own usage request added to a stream: the usage-only chunk and the `null` in all others.
 * Usage beside content stays, since it comes from providers that send it anyway.
 */
export class UnrequestedUsageFilter implements ByteFilter {
  readonly #gate = new FrameGate();
  /** Whether the dropped frame ended with the first half of a CRLF cut in two. */
  #droppedHalfCrlf = false;

  push(chunk: Uint8Array): Uint8Array | undefined {
    const frames = this.#gate.push(chunk);
    return frames === undefined ? undefined : this.#removeUsage(frames);
  }

  end(): Uint8Array | undefined {
    const last = this.#gate.end();
    return last === undefined ? undefined : this.#removeUsage(last);
  }

  #removeUsage(frames: Uint8Array): Uint8Array | undefined {
    const bytes = this.#skipLeftoverLineFeed(frames);
    // One character per byte, which preserves the structure.
    const text = bytes.toString('latin1');
    const extras: Span[] = [];
    let extraBytes = 0;
    for (let at = text.indexOf(usageKeyTail); at >= 0; at = text.indexOf(usageKeyTail, at)) {
      const extra = usageSpanAt(text, at - 1);
      at = extra?.end ?? at + usageKeyTail.length;
      if (extra === undefined) continue;
      // A whole frame may be dropped after one of its fields.
      for (let last = extras.at(-1); last !== undefined && last.start >= extra.start; last = extras.at(-1)) {
        extraBytes -= last.end - last.start;
        extras.pop();
      }
      extras.push(extra);
      extraBytes += extra.end - extra.start;
      this.#droppedHalfCrlf = extra.end === text.length && text.endsWith('\r');
    }
    if (extraBytes === 0) return bytes.length === frames.length ? frames : bytes;
    return extraBytes === bytes.length ? undefined : removeSpans(bytes, extras, bytes.length - extraBytes);
  }

  #skipLeftoverLineFeed(frames: Uint8Array): Buffer {
    const skipped = this.#droppedHalfCrlf && frames[0] === lineFeed ? 1 : 0;
    this.#droppedHalfCrlf = false;
    if (skipped === 0 && Buffer.isBuffer(frames)) return frames;
    return Buffer.from(frames.buffer, frames.byteOffset + skipped, frames.byteLength - skipped);
  }
}

/** The name without its first quote: searching for a frequent character takes three times as long. */
const usageKeyTail = 'usage"';

function removeSpans(bytes: Buffer, extras: readonly Span[], restBytes: number): Buffer {
  const rest = Buffer.allocUnsafe(restBytes);
  let keptBytes = 0;
  let from = 0;
  for (const { start, end } of extras) {
    keptBytes += bytes.copy(rest, keptBytes, from, start);
    from = end;
  }
  bytes.copy(rest, keptBytes, from);
  return rest;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The unrequested text around a mention of usage. Inside a string its quotes would be escaped. */
function usageSpanAt(text: string, at: number): Span | undefined {
  if (text[at] !== '"') return undefined;
  const colonAt = skipSpace(text, at + 1 + usageKeyTail.length);
  if (text[colonAt] !== ':') return undefined;
  const valueAt = skipSpace(text, colonAt + 1);
  if (text[valueAt] === '{') return usageOnlyFrameSpan(text, at);
  return text.startsWith('null', valueAt) ? nullFieldSpan(text, at, valueAt + 'null'.length) : undefined;
}

/** A top-level field of the chunk, with its surplus comma. */
function nullFieldSpan(text: string, start: number, end: number): Span | undefined {
  let before = start - 1;
  while (text[before] === ' ') before--;
  const between = text[before] === ',';
  if ((!between && text[before] !== '{') || depthAt(text, end, lineEnd(text, end)) !== 1) return undefined;
  if (between) return { start: before, end };
  const after = skipSpace(text, end);
  return { start, end: text[after] === ',' ? after + 1 : end };
}

/** The frame, if its chunk has no choices. */
function usageOnlyFrameSpan(text: string, at: number): Span | undefined {
  const start = text.lastIndexOf('\n', at) + 1;
  const line = text.slice(start, lineEnd(text, at));
  if (!line.startsWith('data:') || !emptyChoicesPattern.test(line)) return undefined;
  const chunk = parseObject(line.slice('data:'.length));
  if (objectOf(chunk?.usage) === undefined || !isEmptyList(chunk?.choices)) return undefined;
  return { start: frameStart(text, start), end: frameEnd(text, at) };
}

const emptyChoicesPattern = /"choices"\s*:\s*\[\s*\]/;

function isEmptyList(choices: unknown): boolean {
  return Array.isArray(choices) && choices.length === 0;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** After the previous blank line. */
function frameStart(text: string, lineStart: number): number {
  const plain = text.lastIndexOf('\n\n', lineStart);
  const returned = text.lastIndexOf('\n\r\n', lineStart);
  return Math.max(plain < 0 ? 0 : plain + 2, returned < 0 ? 0 : returned + 3);
}

/** After the next blank line. */
function frameEnd(text: string, from: number): number {
  const plain = text.indexOf('\n\n', from);
  const returned = text.indexOf('\n\r\n', from);
  return Math.min(plain < 0 ? text.length : plain + 2, returned < 0 ? text.length : returned + 3);
}

/** Stays within the line, as the space between a chunk's fields does. */
function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}

const lineFeed = 10;
