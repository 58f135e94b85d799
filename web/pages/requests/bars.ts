import type { paths } from '../../api/schema.ts';

type LogPage = paths['/v1/requests']['get']['responses'][200]['content']['application/json'];
type LoggedCall = LogPage['requests'][number];

/** A part of a call: from when, and for how long. */
export interface Bar {
  readonly name: string;
  readonly fromMs: number;
  readonly ms: number;
  readonly className: string;
  /** Whether it is part of the bar above it. */
  readonly inner?: boolean;
}

type TimedCall = Pick<
  LoggedCall,
  | ('overhead_ms' | 'first_content_ms' | 'total_ms' | 'left_ms' | 'connected_ms' | 'head_ms')
  | ('modules' | 'attempts' | 'status' | 'provider')
>;

/** Gateway, modules, provider and stream of a call, as far as the log knows. */
export function barsOf(call: TimedCall): readonly Bar[] {
  const { first_content_ms: first, total_ms: total, modules, attempts } = call;
  const isCached = modules.some(({ effect }) => effect === 'answered');
  const content = first === null ? total : Math.min(first, total);
  const leaves = Math.min(attempts[0]?.started_ms ?? call.left_ms ?? call.overhead_ms, total);
  let at = 0;
  const steps = modules.map(({ name, ms, effect }) => {
    const className = effect === 'rejected' ? 'fill-refused' : 'fill-accent opacity-60';
    const step = { name, fromMs: at, ms, inner: true, className };
    at += ms;
    return step;
  });
  const hasStream = attempts.length === 0 && first !== null && total - content >= 0.01;
  return [
    { name: 'Gateway', fromMs: 0, ms: leaves, className: 'fill-accent' },
    ...steps,
    ...(isCached ? [] : attempts.length > 0 ? attemptBars(call) : providerBars(call, leaves, content)),
    ...(hasStream
      ? [
          {
            name: isCached ? 'From cache' : 'Stream',
            fromMs: content,
            ms: total - content,
            className: isCached ? 'fill-saved' : 'fill-muted',
          },
        ]
      : []),
    { name: 'Total', fromMs: 0, ms: total, className: 'fill-edge' },
  ];
}

/** A call of several requests to providers has the times of each of them. */
function attemptBars({ attempts }: TimedCall): readonly Bar[] {
  return attempts.map(({ provider, ending, started_ms: fromMs, ended_ms: toMs }, at) => ({
    name: `${at + 1}. ${provider}`,
    fromMs,
    ms: Math.max(0, toMs - fromMs),
    className: ending === 'failed' ? 'fill-failed' : 'fill-edge',
  }));
}

/** Connecting, waiting for the answer, and for its first token; as one where the log can't tell them apart. */
function providerBars(
  { left_ms: left, connected_ms: connected, head_ms: head, first_content_ms: first, ...call }: TimedCall,
  leavesMs: number,
  contentMs: number,
): readonly Bar[] {
  const isUnsent = left === null && call.status >= 400;
  if (isUnsent || call.provider === null || contentMs <= leavesMs) return [];
  const bar = (name: string, fromMs: number, toMs: number) => ({
    name,
    fromMs,
    ms: Math.max(0, toMs - fromMs),
    className: 'fill-edge',
  });
  if (left === null || connected === null)
    return [bar(first === null ? 'Provider' : 'Until first token', leavesMs, contentMs)];
  if (head === null) return [bar('Connect', left, connected), bar('Provider', connected, contentMs)];
  return [
    bar('Connect', left, connected),
    bar('Provider', connected, head),
    ...(first === null ? [] : [bar('First token', head, contentMs)]),
  ];
}
