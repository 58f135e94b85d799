import type { BatchRun } from '../../api/queries.ts';
import { Button, CopyButton } from '../../parts/controls.tsx';
import { ago, count, usd, utc } from '../../parts/format.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Gauge, type Tone } from '../../parts/states.tsx';

interface BatchRowProps {
  readonly batch: BatchRun;
  readonly onCancel: () => void;
}

export function BatchRow({ batch, onCancel }: BatchRowProps) {
  const { id, provider, state, is_own: isOwn, created_at: madeAt, cost_usd: cost, results } = batch;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-6 gap-y-2 border-b border-line py-3 sm:grid-cols-[minmax(0,1fr)_14rem_8rem]">
      <div className="flex min-w-0 flex-col items-start gap-1">
        <span className="flex max-w-full items-center">
          <code className="min-w-0 truncate font-mono text-xs font-medium" title={id}>
            {id}
          </code>
          <CopyButton text={id} label={`Copy ${id}`} />
        </span>
        <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-xs text-muted">
          <Badge tone={toneOf(state)}>{state.replaceAll('_', ' ')}</Badge>
          <span>{isOwn ? 'run by Weir' : provider}</span>
          {madeAt !== null && <span title={utc(madeAt)}>{ago(madeAt)}</span>}
          <span className="tabular-nums">{cost === null ? 'not billed yet' : usd(cost)}</span>
        </span>
      </div>
      <div className="max-sm:col-span-2 max-sm:row-start-2">
        <Progress batch={batch} />
      </div>
      <span className="flex flex-wrap justify-end gap-3 text-sm">
        {isOwn && state === 'in_progress' && (
          <Allowed right="content:write">
            <Button look="quiet" onClick={onCancel} aria-label={`Cancel ${id}`}>
              Cancel
            </Button>
          </Allowed>
        )}
        {results.map((which) => (
          <a
            key={which}
            className="py-1 text-accent hover:underline"
            href={`/v1/batch-runs/${encodeURIComponent(id)}/results?which=${which}`}
            download
            aria-label={`Download the ${which} of ${id}`}
          >
            {which === 'answers' ? 'Answers' : 'Errors'}
          </a>
        ))}
      </span>
    </li>
  );
}

/** How many calls have ended, where that is known. */
function Progress({ batch: { calls, completed, failed } }: { readonly batch: BatchRun }) {
  if (calls === null || calls === 0) return null;
  const ended = (completed ?? 0) + (failed ?? 0);
  const errors = failed === null || failed === 0 ? '' : `, ${count(failed)} failed`;
  return (
    <Gauge
      label="Calls"
      value={completed ?? 0}
      extra={failed ?? 0}
      max={calls}
      text={`${count(ended)} of ${count(calls)}${errors}`}
    />
  );
}

function toneOf(state: string): Tone {
  if (/^(?:completed|ended|succeeded)$/.test(state)) return 'saved';
  if (/^(?:failed|expired|cancelled)$/.test(state)) return 'failed';
  return /progress|running|cancelling/.test(state) ? 'accent' : 'plain';
}
