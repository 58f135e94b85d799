import type { paths } from '../../api/schema.ts';
import { duration, short, usd } from '../../parts/format.ts';

type Conversations = paths['/v1/conversations/{id}']['get']['responses'][200]['content']['application/json'];
export type ConversationCall = Conversations['calls'][number];

/** A call of a session with what came before it. */
export interface TimelineItem {
  readonly call: ConversationCall;
  /** What the session has cost up to the end of this call, in dollars. */
  readonly costSoFar: number;
  /** How long nothing happened before the call, if that is worth a line. */
  readonly pauseMs: number | undefined;
}

const pauseMsMin = 60_000;

export function timelineOf(calls: readonly ConversationCall[]): readonly TimelineItem[] {
  let costSoFar = 0;
  let endedMs = Number.POSITIVE_INFINITY;
  return calls.map((call) => {
    const startMs = Date.parse(call.created_at);
    const pauseMs = startMs - endedMs;
    costSoFar += Number(call.cost_usd ?? 0);
    endedMs = Math.max(endedMs === Number.POSITIVE_INFINITY ? 0 : endedMs, startMs + call.total_ms);
    return { call, costSoFar, pauseMs: pauseMs >= pauseMsMin ? pauseMs : undefined };
  });
}

/** What a call is in its session: `Prompt`, `Tool results`, `Compaction`. */
export function stepOf({ is_compaction: isCompaction, cause }: ConversationCall): string {
  if (isCompaction) return 'Compaction';
  return cause === null ? 'Call' : causes[cause];
}

const causes = { prompt: 'Prompt', tool_results: 'Tool results' } as const;

/** The part of the agent that made the call, if it is not the main one: `Subagent Explore`. */
export function partOf({
  agent,
  parent_conversation: parent,
}: Pick<ConversationCall, 'agent' | 'parent_conversation'>) {
  const [kind = '', ...type] = (agent ?? (parent === null ? '' : 'subagent')).split(':');
  if (kind === '' || kind === 'main' || kind === 'compaction') return undefined;
  const words = kind.replaceAll('_', ' ');
  return [words.charAt(0).toUpperCase() + words.slice(1), ...type].join(' ');
}

type CacheBreak = NonNullable<ConversationCall['cache_break']>;

const reasons: Readonly<Record<CacheBreak['reason'], string>> = {
  model: 'another model or provider answered',
  tools: 'the client changed its tools',
  instructions: 'the client changed its instructions',
  compacted: 'the conversation was compacted',
  history: 'the client changed earlier messages',
  module: 'a module changed earlier messages',
  expired: 'the pause was longer than the cache lasts',
  unknown: 'reason unknown',
};

/** `Provider cache lost: the client changed its tools. 9,000 tokens read again, $0.03 extra.` */
export function breakSentence({ reason, lost_tokens: lost, cost_usd: cost }: CacheBreak): string {
  const extra = cost === null ? '' : `, ${usd(cost)} extra`;
  return `Provider cache lost: ${reasons[reason]}. ${short(lost)} tokens read again${extra}.`;
}

export interface BreakTotals {
  readonly count: number;
  readonly costUsd: number;
}

export function breaksIn(calls: readonly ConversationCall[]): BreakTotals {
  const breaks = calls.flatMap(({ cache_break: found }) => found ?? []);
  return {
    count: breaks.length,
    costUsd: breaks.reduce((sum, { cost_usd: cost }) => sum + Number(cost ?? 0), 0),
  };
}

/** One bar of the chart: a call, or the largest of several where there is no room for all. */
export interface ContextBar {
  readonly cached: number;
  readonly fresh: number;
  readonly isSubagent: boolean;
  readonly hasBreak: boolean;
  readonly isCompaction: boolean;
  /** At the end of its last call. */
  readonly costSoFar: number;
  readonly title: string;
}

export function barsOf(items: readonly TimelineItem[], barsMax: number): readonly ContextBar[] {
  const each = Math.max(1, Math.ceil(items.length / Math.max(1, barsMax)));
  const bars: ContextBar[] = [];
  for (let at = 0; at < items.length; at += each) {
    const some = items.slice(at, at + each);
    const [first, ...rest] = some;
    if (first === undefined) break;
    const largest = rest.reduce((one, other) => (contextOf(other) > contextOf(one) ? other : one), first);
    const { call } = largest;
    const cached = call.cache_read_tokens ?? 0;
    bars.push({
      cached,
      fresh: contextOf(largest) - cached,
      isSubagent: call.parent_conversation !== null,
      hasBreak: some.some((one) => one.call.cache_break !== null),
      isCompaction: some.some((one) => one.call.is_compaction),
      costSoFar: some.at(-1)?.costSoFar ?? 0,
      title: `${partOf(call) ?? stepOf(call)}: ${short(contextOf(largest))} tokens, ${short(cached)} from cache`,
    });
  }
  return bars;
}

function contextOf({ call }: TimelineItem): number {
  return call.context_tokens ?? 0;
}

/** `Pause of 12 min 4 s` */
export function pauseText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  return `Pause of ${hours < 1 ? duration(ms) : `${hours} h ${Math.round((ms % 3_600_000) / 60_000)} min`}`;
}
