import type { LoggedCall } from '../../api/queries.ts';
import { duration } from '../../parts/format.ts';
import { barsOf } from './bars.ts';

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
