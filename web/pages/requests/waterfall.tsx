import type { LoggedCall } from '../../api/queries.ts';
import { duration } from '../../parts/format.ts';

interface Bar {
  readonly name: string;
  readonly fromMs: number;
  readonly ms: number;
  readonly className: string;
  readonly inner?: boolean;
}

/** Gateway, modules, provider, stream: each from when to when, as far as the log knows. */
export function Waterfall({ call }: { readonly call: LoggedCall }) {
  const bars = barsOf(call);
  const all = Math.max(call.total_ms, 0.001);
  return (
    <ul className="flex flex-col gap-1">
      {bars.map(({ name, fromMs, ms, className, inner }) => (
        <li key={name} className="grid grid-cols-[7.5rem_minmax(0,1fr)_4rem] items-center gap-2 text-xs">
          <span className={`truncate ${inner === true ? 'pl-3 text-muted' : ''}`}>{name}</span>
          <svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none" className="h-2.5 w-full">
            <rect width="100" height="8" className="fill-sunken" />
            <rect
              x={Math.min(99, (100 * fromMs) / all)}
              width={Math.max(1, (100 * ms) / all)}
              height="8"
              className={className}
            />
          </svg>
          <span className="text-right text-muted">{duration(ms)}</span>
        </li>
      ))}
    </ul>
  );
}

function barsOf(call: LoggedCall): readonly Bar[] {
  const { overhead_ms: overhead, first_content_ms: first, total_ms: total, modules } = call;
  const answered = modules.some(({ effect }) => effect === 'answered');
  const content = first === null ? total : Math.min(first, total);
  const leaves = Math.min(call.left_ms ?? overhead, total);
  let at = 0;
  const steps = modules.map(({ name, ms, effect }) => {
    const bar = {
      name,
      fromMs: at,
      ms,
      inner: true,
      className: effect === 'rejected' ? 'fill-refused' : 'fill-accent opacity-60',
    };
    at += ms;
    return bar;
  });
  return [
    { name: 'Gateway', fromMs: 0, ms: leaves, className: 'fill-accent' },
    ...steps,
    ...providerBars(call, leaves, content),
    ...(first === null || total - content < 0.01
      ? []
      : [
          {
            name: answered ? 'From cache' : 'Stream',
            fromMs: content,
            ms: total - content,
            className: answered ? 'fill-saved' : 'fill-muted',
          },
        ]),
    { name: 'Total', fromMs: 0, ms: total, className: 'fill-edge' },
  ];
}

/** Connecting, waiting for the answer, and for the first token in it; as one where the log doesn't tell them apart. */
function providerBars(
  { left_ms: left, connected_ms: connected, head_ms: head, first_content_ms: first, ...call }: LoggedCall,
  leavesMs: number,
  contentMs: number,
): readonly Bar[] {
  const answered = call.modules.some(({ effect }) => effect === 'answered');
  if (answered || call.provider === null || call.status === 402 || contentMs <= leavesMs) return [];
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
