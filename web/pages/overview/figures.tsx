import type { ReactNode } from 'react';
import type { Summary } from '../../api/queries.ts';
import { count, duration, exactUsd, percent, short, usd } from '../../parts/format.ts';
import { Sparkline } from '../../parts/sparkline.tsx';

interface FigureProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly exact?: string;
  readonly note: ReactNode;
  readonly spark: readonly number[];
  readonly className?: string;
}

function Figure({ label, value, exact, note, spark, className = 'text-accent' }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 rounded-lg border border-line bg-surface px-4 py-3">
      <div className="flex items-center justify-between gap-2">
        <span className="text-sm text-muted">{label}</span>
        <span className="hidden sm:block lg:hidden xl:block">
          <Sparkline values={spark} className={className} />
        </span>
      </div>
      <span className="text-xl font-semibold tracking-tight" title={exact}>
        {value}
      </span>
      <span className="text-xs text-muted">{note}</span>
    </div>
  );
}

/** The four answers that people come for. */
export function Figures({ data: { total, spans } }: { readonly data: Summary }) {
  const saved = Number(total.saved_usd);
  const tokens = total.input_tokens + total.output_tokens;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        label="Spent"
        value={usd(total.cost_usd)}
        exact={exactUsd(total.cost_usd)}
        note={`${short(tokens)} tokens, ${short(total.output_tokens)} of them out`}
        spark={spans.map((span) => Number(span.cost_usd))}
      />
      <Figure
        label="Saved"
        value={<span className={saved > 0 ? 'text-saved' : ''}>{usd(total.saved_usd)}</span>}
        exact={exactUsd(total.saved_usd)}
        note={total.cached === 0 ? 'no answers from caches' : `${count(total.cached)} from caches`}
        spark={spans.map((span) => Number(span.saved_usd))}
        className="text-saved"
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
      />
      <Figure
        label="First token"
        value={duration(total.first_content_ms.p50)}
        exact={`95 % within ${duration(total.first_content_ms.p95)}`}
        note={`median; ${duration(total.overhead_ms.p50)} of it ours`}
        spark={spans.map((span) => span.first_content_ms.p50 ?? 0)}
      />
    </div>
  );
}
