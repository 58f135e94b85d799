import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Conversation } from '../../api/queries.ts';
import { count, duration, exactUsd, percent, short, timeOf, usd, utc } from '../../parts/format.ts';
import { breaksIn, type TimelineItem } from './timeline.ts';

interface FiguresProps {
  readonly conversation: Conversation;
  readonly items: readonly TimelineItem[];
}

export function SessionFigures({ conversation: whole, items }: FiguresProps) {
  const breaks = breaksIn(items.map(({ call }) => call));
  const input = whole.input_tokens + whole.cache_read_tokens + whole.cache_write_tokens;
  const largest = items.reduce((most, { call }) => Math.max(most, call.context_tokens ?? 0), 0);
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 xl:grid-cols-6">
      <Figure
        name="Cost"
        value={<span title={exactUsd(whole.cost_usd)}>{usd(whole.cost_usd)}</span>}
        note={Number(whole.saved_usd) > 0 ? `${usd(whole.saved_usd)} saved by modules` : undefined}
      />
      <Figure
        name="Duration"
        value={duration(whole.duration_ms)}
        note={<span title={utc(whole.started_at)}>since {timeOf(whole.started_at)}</span>}
      />
      <Figure
        name="Calls"
        value={count(whole.calls)}
        note={
          whole.failed > 0 ? <span className="text-failed">{count(whole.failed)} failed</span> : 'none failed'
        }
      />
      <Figure
        name="Largest context"
        value={short(largest)}
        note={`${short(whole.output_tokens)} tokens written`}
      />
      <Figure
        name="Read from cache"
        value={percent(whole.cache_read_tokens, input)}
        note={
          breaks.count === 0
            ? 'never lost'
            : `lost ${breaks.count === 1 ? 'once' : `${count(breaks.count)} times`}, ${usd(breaks.costUsd)} extra`
        }
      />
      <Figure
        name="Client"
        value={
          whole.client === null ? (
            '–'
          ) : (
            <Link to="/sessions" search={{ client: whole.client }} className="text-accent hover:underline">
              <bdi>{whole.client}</bdi>
            </Link>
          )
        }
        note={<bdi title={whole.models.join(', ')}>{whole.models.join(', ')}</bdi>}
      />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

function Figure({ name, value, note }: FigureProps) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="truncate text-base font-semibold">{value}</dd>
      {note !== undefined && <dd className="truncate text-xs text-muted">{note}</dd>}
    </div>
  );
}
