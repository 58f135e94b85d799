import { useRef } from 'react';
import { count, short, usd } from '../../parts/format.ts';
import { useWidth } from '../../parts/use-width.ts';
import { barsOf, type ContextBar, type TimelineItem } from './timeline.ts';

const height = 140;
const barWidthMin = 3;
const barWidthMax = 24;

/** A bar for each call with what its provider read, and a line for what the session has cost by then. */
export function ContextChart({ items }: { readonly items: readonly TimelineItem[] }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const bars = barsOf(items, Math.floor(width / barWidthMin));
  const most = Math.max(1, ...bars.map(({ cached, fresh }) => cached + fresh));
  const cost = bars.at(-1)?.costSoFar ?? 0;
  const step = Math.min(barWidthMax, width / Math.max(1, bars.length));
  const breaks = bars.filter(({ hasBreak }) => hasBreak).length;
  const line = bars.map(
    ({ costSoFar }, at) =>
      `${(at + 0.5) * step},${height - (cost === 0 ? 0 : (costSoFar / cost) * (height - 8))}`,
  );
  return (
    <figure className="m-0 flex flex-col gap-2">
      <div className="flex justify-between text-xs text-muted">
        <span>{short(most)} tokens</span>
        <span>{usd(cost)}</span>
      </div>
      <div ref={box} className="h-[140px] w-full border-b border-line">
        {width > 0 && (
          <svg
            role="img"
            aria-label={`Context of ${count(items.length)} calls: up to ${short(most)} tokens. Cost so far: ${usd(cost)}. Provider cache lost: ${count(breaks)} times. The timeline has the figures.`}
            width={width}
            height={height}
          >
            {bars.map((bar, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the place of a call in its session
              <Bar key={at} bar={bar} x={at * step} width={step} most={most} />
            ))}
            <polyline points={line.join(' ')} fill="none" className="stroke-ink" strokeWidth={1.5} />
          </svg>
        )}
      </div>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        <Legend look="fill-accent" text="Read from cache" />
        <Legend look="fill-edge" text="Read anew" />
        <Legend look="fill-failed" text="Cache lost" />
        <Legend look="fill-refused" text="Compaction" />
        <Legend look="fill-ink" text="Cost so far" />
      </figcaption>
    </figure>
  );
}

interface BarProps {
  readonly bar: ContextBar;
  readonly x: number;
  readonly width: number;
  readonly most: number;
}

function Bar({ bar, x, width, most }: BarProps) {
  const scale = (height - 10) / most;
  const [cached, fresh] = [bar.cached * scale, bar.fresh * scale];
  const inner = Math.max(1, width - 1);
  const mark = bar.hasBreak ? 'fill-failed' : bar.isCompaction ? 'fill-refused' : undefined;
  return (
    <g opacity={bar.isSubagent ? 0.45 : 1}>
      <title>{bar.title}</title>
      <rect x={x} y={height - cached} width={inner} height={cached} className="fill-accent" />
      <rect x={x} y={height - cached - fresh} width={inner} height={fresh} className="fill-edge" />
      {mark !== undefined && (
        <rect x={x} y={height - cached - fresh - 5} width={inner} height={4} className={mark} />
      )}
    </g>
  );
}

function Legend({ look, text }: { readonly look: string; readonly text: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2 shrink-0">
        <rect width="8" height="8" rx="2" className={look} />
      </svg>
      {text}
    </span>
  );
}
