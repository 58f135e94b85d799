import type { TimelineItem } from './timeline.ts';

/** What a tool comes to in a session. */
export interface ToolSums {
  /** Null for calls that read no results. */
  readonly name: string | null;
  /** How often it was called. */
  readonly calls: number;
  /** The tokens of its results. */
  readonly tokens: number;
  /** Of the calls that read its results, in dollars. */
  readonly costUsd: number;
}

/**
 * The tools with the highest cost first, then the calls without results. A call that reads the results of several counts
 * for each of them in parts, by the number of their calls.
 */
export function toolSumsOf(items: readonly Pick<TimelineItem, 'call'>[]): readonly ToolSums[] {
  const tools = new Map<string, ToolSums>();
  const add = (name: string, more: Partial<ToolSums>) => {
    const { calls = 0, tokens = 0, costUsd = 0 } = tools.get(name) ?? {};
    tools.set(name, {
      name,
      calls: calls + (more.calls ?? 0),
      tokens: tokens + (more.tokens ?? 0),
      costUsd: costUsd + (more.costUsd ?? 0),
    });
  };
  let othersUsd = 0;
  for (const { call } of items) {
    const costUsd = Number(call.cost_usd ?? 0);
    for (const { name, count } of call.tool_calls) add(name, { calls: count });
    const results = call.results_of.reduce((sum, { count }) => sum + count, 0);
    if (results === 0) othersUsd += costUsd;
    for (const { name, count } of call.results_of) {
      const part = count / results;
      add(name, { tokens: part * (call.result_tokens ?? 0), costUsd: part * costUsd });
    }
  }
  if (tools.size === 0) return [];
  return [
    ...[...tools.values()].sort(
      (one, other) => other.costUsd - one.costUsd || (String(one.name) < String(other.name) ? -1 : 1),
    ),
    { name: null, calls: 0, tokens: 0, costUsd: othersUsd },
  ];
}
