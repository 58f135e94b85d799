import { randomFillSync } from 'node:crypto';
import { limits } from './limits.ts';

/** The client's place in a distributed trace: https://www.w3.org/TR/trace-context/. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The client's span: 16 hexadecimal digits. */
  readonly spanId: string;
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

export function createSpanId(): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(8));
  // The all-zero id is invalid.
  if (bytes.every((byte) => byte === 0)) bytes[7] = 1;
  return bytes.toString('hex');
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
