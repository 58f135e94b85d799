import type { CallSpan } from '../../kernel/trace.ts';
import { createSpanId, createTraceId, isSampled, type TraceParent } from '../../kernel/trace-parent.ts';

/** The names of `OTEL_TRACES_SAMPLER`. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface Sampling {
  readonly sampler: (typeof samplerNames)[number];
  /** The share of traces that `traceidratio` samples, from 0 to 1. */
  readonly ratio: number;
}

/** The span of a call; undefined if its trace is not sampled. */
export function startCallSpan(sampling: Sampling, parent: TraceParent | undefined): CallSpan | undefined {
  const traceId = parent?.traceId ?? createTraceId();
  return isChosen(sampling, traceId, parent) ? { traceId, spanId: createSpanId(), parent } : undefined;
}

function isChosen({ sampler, ratio }: Sampling, traceId: string, parent: TraceParent | undefined): boolean {
  if (parent !== undefined && sampler.startsWith('parentbased_')) return isSampled(parent);
  if (sampler.endsWith('always_on')) return true;
  if (sampler.endsWith('always_off')) return false;
  // The last 56 bits are random in every trace: https://www.w3.org/TR/trace-context-2/#random-trace-id-flag.
  return Number.parseInt(traceId.slice(18), 16) >= 2 ** 56 * (1 - ratio);
}
