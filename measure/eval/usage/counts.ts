import type { Usage } from '../../../src/kernel/message.ts';

/** What was counted in a call, each token once. */
export interface Counts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** How much of that was for an hour. */
  readonly cacheWriteHour: number;
  readonly output: number;
  /** How much of that was reasoning. */
  readonly thinking: number;
}

export function countsOf(usage: Usage): Counts {
  return {
    input: usage.input_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    cacheWriteHour: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    thinking: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}

/** Where two countings differ, in words; empty where they agree. */
export function differences(reported: Counts, metered: Counts): readonly string[] {
  const kinds = ['input', 'cacheRead', 'cacheWrite', 'cacheWriteHour', 'output', 'thinking'] as const;
  return kinds
    .filter((kind) => reported[kind] !== metered[kind])
    .map((kind) => `${kind} ${reported[kind]} reported, ${metered[kind]} metered`);
}
