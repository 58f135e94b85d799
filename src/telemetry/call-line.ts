import type { Usage } from '../kernel/message.ts';
import type { Step } from '../kernel/trace.ts';

/** What is said about one call. */
export interface CallFacts {
  readonly id: string;
  readonly wire: string;
  readonly provider: string;
  readonly model: string;
  readonly status: number;
  readonly ending: string;
  readonly error: string | undefined;
  readonly ms: number;
  readonly contentMs: number | undefined;
  readonly overheadMs: number;
  readonly usage: Usage;
  readonly costNanoUsd: number | undefined;
  /** Whether the cost is a guess. */
  readonly estimated: boolean;
  readonly stop: string | undefined;
  readonly steps: readonly Step[];
}

/** The line of one call, put together by hand: it is the only one on the hot path, and a serializer costs four times as much. */
export function callLine(facts: CallFacts, time: string): string {
  const { usage } = facts;
  let line = `{"level":"info","time":"${time}","msg":"call","id":"${facts.id}","wire":"${facts.wire}","provider":"${facts.provider}","model":${JSON.stringify(facts.model)},"status":${facts.status},"ending":"${facts.ending}","ms":${facts.ms},"overheadMs":${facts.overheadMs}`;
  if (facts.contentMs !== undefined) line += `,"contentMs":${facts.contentMs}`;
  if (usage.input_tokens !== undefined) line += `,"input":${usage.input_tokens}`;
  if (usage.output_tokens !== undefined) line += `,"output":${usage.output_tokens}`;
  if (usage.cache_read_input_tokens !== undefined) line += `,"cacheRead":${usage.cache_read_input_tokens}`;
  if (usage.cache_creation_input_tokens !== undefined)
    line += `,"cacheWrite":${usage.cache_creation_input_tokens}`;
  if (facts.costNanoUsd !== undefined) line += `,"costNanoUsd":${facts.costNanoUsd}`;
  if (facts.estimated) line += ',"estimated":true';
  if (facts.stop !== undefined) line += `,"stop":${JSON.stringify(facts.stop)}`;
  if (facts.error !== undefined) line += `,"error":${JSON.stringify(facts.error)}`;
  if (facts.steps.length > 0) line += `,"modules":${JSON.stringify(facts.steps.map(stepFacts))}`;
  return `${line}}\n`;
}

function stepFacts({ module, effect, ownMs, facts }: Step): object {
  return { module, effect, ms: Math.round(ownMs * 100) / 100, ...facts };
}
