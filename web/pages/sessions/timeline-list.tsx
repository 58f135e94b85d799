import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { costOf, duration, exactUsd, short, timeOf, usd, utc } from '../../parts/format.ts';
import { Badge } from '../../parts/states.tsx';
import { shownSteps } from '../requests/module-steps.ts';
import { verdictOf } from '../requests/verdict.ts';
import {
  breakSentence,
  type ConversationCall,
  partOf,
  pauseText,
  stepOf,
  type TimelineItem,
} from './timeline.ts';

const grid = 'md:grid-cols-[6.5rem_minmax(0,1fr)_5rem_4.5rem_5rem_5rem_5rem]';

/** The calls in order; a click opens one in the log. */
export function Timeline({ items }: { readonly items: readonly TimelineItem[] }) {
  return (
    <div>
      <div
        aria-hidden
        className={`hidden gap-x-3 border-b border-line pb-1.5 text-xs text-muted md:grid ${grid}`}
      >
        <span>Time</span>
        <span>Step</span>
        <span className="text-right">Context</span>
        <span className="text-right">Output</span>
        <span className="text-right">Took</span>
        <span className="text-right">Cost</span>
        <span className="text-right">So far</span>
      </div>
      <ol aria-label="Calls, the oldest first">
        {items.map((item) => (
          <li key={item.call.id}>
            {item.pauseMs !== undefined && (
              <p className="border-b border-line bg-sunken px-2 py-1 text-center text-xs text-muted">
                {pauseText(item.pauseMs)}
              </p>
            )}
            <Row item={item} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Row({ item: { call, costSoFar } }: { readonly item: TimelineItem }) {
  const { tone, text } = verdictOf(call);
  const isPlain = tone === 'plain' && call.ending === 'complete';
  const part = partOf(call);
  const isFurther = part !== undefined;
  return (
    <div
      className={`relative grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-line py-2 text-sm hover:bg-sunken ${grid}`}
    >
      <span className="hidden text-muted md:block" title={utc(call.created_at)}>
        {timeOf(call.created_at)}
      </span>
      <div className={`flex min-w-0 flex-col gap-0.5 ${isFurther ? 'ml-2 border-l-2 border-edge pl-3' : ''}`}>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <Link
            to="/requests"
            search={{ conversation: call.conversation ?? '', open: call.id }}
            className={`after:absolute after:inset-0 ${call.cause === 'tool_results' && !call.is_compaction ? '' : 'font-medium'}`}
          >
            {stepOf(call)}
          </Link>
          {isFurther && (
            <Badge tone="accent">
              <bdi>{part}</bdi>
            </Badge>
          )}
          {call.is_compaction && <Badge tone="refused">History summarized</Badge>}
          {!isPlain && <Badge tone={tone}>{text}</Badge>}
        </span>
        <span className="truncate text-xs text-muted">
          <span className="md:hidden">{timeOf(call.created_at)} · </span>
          <bdi className="font-mono">{call.model_used ?? call.model}</bdi>
          {call.tool_calls.length > 0 && (
            <>
              {' → '}
              <bdi title="Tools that the answer calls">{toolsOf(call)}</bdi>
            </>
          )}
        </span>
        {call.shortened_from !== null && call.cache_break?.reason !== 'compacted' && (
          <Note>
            History shortened from {short(call.shortened_from)} to {short(call.context_tokens)} tokens.
          </Note>
        )}
        {shownSteps(call.modules.filter(({ effect }) => effect !== 'passed')).map(
          ({ names, sentence, savedUsd }) => (
            <Note key={names.join()}>
              {sentence}
              {Number(savedUsd) > 0 && <span className="text-saved"> Saved {usd(savedUsd)}.</span>}
            </Note>
          ),
        )}
        {call.cache_break !== null && (
          <Note look={call.cache_break.reason === 'compacted' ? 'text-muted' : 'text-failed'}>
            {breakSentence(call.cache_break)}
          </Note>
        )}
      </div>
      <Figure>{short(call.context_tokens)}</Figure>
      <Figure>{short(call.output_tokens)}</Figure>
      <Figure>{duration(call.total_ms)}</Figure>
      <span className="text-right whitespace-nowrap" title={exactUsd(call.cost_usd)}>
        {costOf(call)}
        <span className="block text-xs text-muted md:hidden">
          {short(call.context_tokens)} · {duration(call.total_ms)}
        </span>
      </span>
      <Figure>
        <span className="text-muted">{usd(costSoFar)}</span>
      </Figure>
    </div>
  );
}

function Figure({ children }: { readonly children: ReactNode }) {
  return <span className="hidden text-right whitespace-nowrap md:block">{children}</span>;
}

function Note({ look = 'text-muted', children }: { readonly look?: string; readonly children: ReactNode }) {
  return <span className={`text-xs wrap-anywhere ${look}`}>{children}</span>;
}

/** `Read ×2, Bash` */
function toolsOf({ tool_calls: calls }: ConversationCall): string {
  return calls.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}
