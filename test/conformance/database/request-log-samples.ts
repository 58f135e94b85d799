import assert from 'node:assert/strict';
import type {
  LoggedCall,
  LoggedStep,
  LogPage,
  LogQuery,
  RequestLog,
} from '../../../src/kernel/ports/request-log.ts';
import { someCall, someRequestId } from './samples.ts';

export const startMs = 1_763_000_000_000;

/** One each millisecond, the oldest first. */
export function someCalls(
  count: number,
  fields: (at: number) => Partial<LoggedCall> = () => ({}),
): readonly LoggedCall[] {
  return Array.from({ length: count }, (_, at) =>
    someCall({ id: someRequestId(startMs + at), ...fields(at) }),
  );
}

export function someStep(module: string, effect: LoggedStep['effect'], savedNanoUsd?: number): LoggedStep {
  return { module, effect, ms: 0.5, facts: {}, ...(savedNanoUsd !== undefined && { savedNanoUsd }) };
}

export function readPage(log: RequestLog, asked: Partial<LogQuery> = {}): Promise<LogPage> {
  return log.page({ accountId: undefined, filter: {}, limit: 50, ...asked });
}

export function olderCursor({ reached }: LogPage): LogQuery['beside'] {
  assert.ok(reached !== undefined);
  return { id: reached, side: 'older' };
}
