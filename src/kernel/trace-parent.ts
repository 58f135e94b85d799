import { randomFillSync } from 'node:crypto';
import { limits } from './limits.ts';

/** A span in a distributed trace. */
export interface SpanReference {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

/** The client's place in a distributed trace: https://www.w3.org/TR/trace-context/. */
export interface TraceParent extends SpanReference {
  /** Two hexadecimal digits. */
  readonly flags: string;
  readonly tracestate: string | undefined;
}

/** Undefined for a missing or invalid `traceparent`. An invalid or oversized `tracestate` is left out. */
export function parseTraceParent(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceParent | undefined {
  if (traceparent === undefined || traceparent.length > limits.traceParentCharactersMax) return undefined;
  const [, version = 'ff', traceId = '', spanId = '', flags = '', rest] = pattern.exec(traceparent) ?? [];
  // Later versions may add fields; version ff is forbidden.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, flags, tracestate: isTraceState(tracestate) ? tracestate : undefined };
}

/** The `traceparent` of a span of ours in the client's trace. */
export function formatTraceParent({ traceId, flags }: TraceParent, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

export function isSampled({ flags }: TraceParent): boolean {
  return (Number.parseInt(flags, 16) & 1) === 1;
}

/** As it is stored: `<trace id>-<span id>`. */
export function formatSpanReference({ traceId, spanId }: SpanReference): string {
  return `${traceId}-${spanId}`;
}

export function parseSpanReference(text: unknown): SpanReference | undefined {
  const [, traceId, spanId] =
    typeof text === 'string' ? (/^([0-9a-f]{32})-([0-9a-f]{16})$/.exec(text) ?? []) : [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

export function createSpanId(): string {
  return createId(8);
}

export function createTraceId(): string {
  return createId(16);
}

/** Random bytes for many ids: filling a few at a time would take most of the time that an id takes. */
const randomBytes = Buffer.allocUnsafe(4096);
let randomBytesUsed = randomBytes.byteLength;

function createId(bytes: number): string {
  if (randomBytesUsed + bytes > randomBytes.byteLength) {
    randomFillSync(randomBytes);
    randomBytesUsed = 0;
  }
  const id = randomBytes.toString('hex', randomBytesUsed, randomBytesUsed + bytes);
  randomBytesUsed += bytes;
  return isZero(id) ? createId(bytes) : id;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

function isZero(id: string): boolean {
  return /^0*$/.test(id);
}

function isTraceState(text: string | undefined): boolean {
  return (
    text !== undefined &&
    text.length <= limits.traceStateCharactersMax &&
    /^[\x20-\x7e]+$/.test(text) &&
    text.split(',').length <= limits.traceStateMembersMax
  );
}
