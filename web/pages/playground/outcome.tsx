import { Link } from '@tanstack/react-router';
import { costOf, count, duration, exactUsd } from '../../parts/format.ts';
import { Badge } from '../../parts/states.tsx';
import type { AnswerState } from './use-answer.ts';

/** Times, tokens and cost of an answer, and what modules did. */
export function Outcome({
  answer: { state, firstMs, totalMs, call, modules, requestId },
}: {
  readonly answer: AnswerState;
}) {
  if (state === 'idle') return null;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <dl className="grid grid-cols-2 gap-2 sm:grid-cols-4 [&_dt]:text-xs [&_dt]:text-muted">
        <Figure name="First token" value={duration(firstMs)} />
        <Figure name="Total" value={duration(totalMs)} />
        <Figure name="Tokens in + out" value={tokensOf(call)} />
        <Figure
          name="Cost"
          value={call === undefined ? '–' : costOf(call)}
          title={call === undefined ? undefined : exactUsd(call.cost_usd)}
        />
      </dl>
      <div className="flex flex-wrap items-center gap-1.5">
        {(call?.modules ?? []).map(({ name, effect }) => (
          <Badge
            key={name}
            tone={effect === 'answered' ? 'saved' : effect === 'rejected' ? 'refused' : 'plain'}
          >
            {name} {effect}
          </Badge>
        ))}
        {call === undefined && modules !== undefined && <span className="text-xs text-muted">{modules}</span>}
        {requestId !== undefined && (
          <Link to="/requests" search={{ open: requestId }} className="ml-auto text-xs text-accent underline">
            In the log
          </Link>
        )}
      </div>
    </div>
  );
}

function tokensOf(call: AnswerState['call']): string {
  if (call === undefined || (call.input_tokens === null && call.output_tokens === null)) return '–';
  return `${count(call.input_tokens)} + ${count(call.output_tokens)}`;
}

function Figure({
  name,
  value,
  title,
}: {
  readonly name: string;
  readonly value: string;
  readonly title?: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={title}>{value}</dd>
    </div>
  );
}
