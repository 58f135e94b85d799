import type { ReactNode } from 'react';
import type { Summary } from '../../api/queries.ts';
import { changeOf, count, duration, exactUsd, percent, short, usd } from '../../parts/format.ts';
import { Sparkline } from '../../parts/sparkline.tsx';

interface FigureProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly exact?: string;
  readonly note: ReactNode;
  readonly spark: readonly number[];
  readonly className?: string;
  /** This period and the one before, with how the latter is written; nothing is shown if either is 0. */
  readonly change: { readonly now: number; readonly before: number | undefined; readonly text: string };
}

function Figure({ label, value, exact, note, spark, className = 'text-accent', change }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 rounded-lg border border-line bg-surface px-4 py-3">
      <div className="flex items-center justify-between gap-2">
        <span className="text-sm text-muted">{label}</span>
        <span className="hidden sm:block lg:hidden xl:block">
          <Sparkline values={spark} className={className} />
        </span>
      </div>
      <span className="flex items-baseline gap-2">
        <span className="text-xl font-semibold tracking-tight" title={exact}>
          {value}
        </span>
        <span className="text-xs text-muted" title={`Period before: ${change.text}`}>
          {changeOf(change.now, change.before)}
        </span>
      </span>
      <span className="text-xs text-muted">{note}</span>
    </div>
  );
}

interface FiguresProps {
  readonly data: Summary;
  /** Of the period before; undefined while it loads. */
  readonly before: Summary['total'] | undefined;
}

/** The four answers that people come for. */
export function Figures({ data: { total, spans }, before }: FiguresProps) {
  const saved = Number(total.saved_usd);
  const tokens = total.input_tokens + total.output_tokens;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        label="Spent"
        value={usd(total.cost_usd)}
        exact={exactUsd(total.cost_usd)}
        note={`${short(tokens)} tokens, ${short(total.output_tokens)} of them out; ${percent(total.cache_read_tokens, total.input_tokens)} of input from provider caches`}
        spark={spans.map((span) => Number(span.cost_usd))}
        change={{
          now: Number(total.cost_usd),
          before: Number(before?.cost_usd ?? 0),
          text: usd(before?.cost_usd),
        }}
      />
      <Figure
        label="Saved"
        value={<span className={saved > 0 ? 'text-saved' : ''}>{usd(total.saved_usd)}</span>}
        exact={exactUsd(total.saved_usd)}
        note={total.cached === 0 ? 'no answers from caches' : `${count(total.cached)} from caches`}
        spark={spans.map((span) => Number(span.saved_usd))}
        className="text-saved"
        change={{ now: saved, before: Number(before?.saved_usd ?? 0), text: usd(before?.saved_usd) }}
      />
      <Figure
        label="Requests"
        value={count(total.requests)}
        note={
          total.failed === 0 ? (
            'none failed'
          ) : (
            <span className="text-failed">
              {count(total.failed)} failed, {percent(total.failed, total.requests)}
            </span>
          )
        }
        spark={spans.map((span) => span.requests)}
        change={{ now: total.requests, before: before?.requests, text: count(before?.requests) }}
      />
      <Figure
        label="First token"
        value={duration(total.first_content_ms.p50)}
        note={
          <>
            median; 95 % within {duration(total.first_content_ms.p95)};{' '}
            <span className="whitespace-nowrap">Weir adds {duration(total.overhead_ms.p50)}</span>
          </>
        }
        spark={spans.map((span) => span.first_content_ms.p50 ?? 0)}
        change={{
          now: total.first_content_ms.p50 ?? 0,
          before: before?.first_content_ms.p50 ?? 0,
          text: duration(before?.first_content_ms.p50),
        }}
      />
    </div>
  );
}
