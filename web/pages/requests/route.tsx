import type { LoggedCall } from '../../api/queries.ts';
import { duration, exactUsd, usd } from '../../parts/format.ts';

type Attempt = LoggedCall['attempts'][number];

interface RouteAttempt extends Attempt {
  readonly at: number;
  readonly result: string;
}

/** Whether a module chose among several models, or more than one request was sent. */
export function isRouted(call: LoggedCall): boolean {
  return call.attempts.length > 1 || factsOf(call).target !== undefined;
}

/** Where a routed call went and why, every attempt, and the models that were left out. */
export function Route({ call }: { readonly call: LoggedCall }) {
  const { target, reason, left_out: leftOut } = factsOf(call);
  const others = typeof leftOut === 'string' ? leftOut.split('; ') : [];
  return (
    <div className="flex flex-col gap-2 text-sm">
      {target !== undefined && (
        <p>
          {target === 'none' ? 'No model answered.' : <code className="font-mono text-xs">{target}</code>}
          {reason !== undefined && <span className="text-muted"> ({reason})</span>}
        </p>
      )}
      {call.attempts.length > 1 && (
        <ol aria-label="Attempts" className="flex flex-col gap-1.5">
          {triedIn(call).map(({ at, provider, model, result, ...attempt }) => (
            <li key={at} className="flex flex-col">
              <span className="wrap-anywhere">
                <code className="font-mono text-xs">{`${provider}/${model}`}</code> {result}
              </span>
              <span className="text-xs text-muted">
                started after {duration(attempt.started_ms)}, took{' '}
                {duration(attempt.ended_ms - attempt.started_ms)}
                {attempt.cost_usd !== null && (
                  <span title={exactUsd(attempt.cost_usd)}>, cost {usd(attempt.cost_usd)}</span>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <ul className="text-xs text-muted" aria-label="Left out">
          {others.map((text) => (
            <li key={text} className="wrap-anywhere">
              Left out: {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The router notes the kinds of failures in the order of the attempts. */
function triedIn(call: LoggedCall): readonly RouteAttempt[] {
  const { failed } = factsOf(call);
  const kinds = typeof failed === 'string' ? failed.split('+').map((one) => one.split(':').at(-1)) : [];
  let failures = 0;
  return call.attempts.map((attempt, at) => {
    if (attempt.ending !== 'failed') return { ...attempt, at, result: attempt.ending };
    const kind = kinds[failures++] ?? attempt.error_code ?? 'failed';
    return { ...attempt, at, result: kind.replaceAll('_', ' ') };
  });
}

function factsOf(call: LoggedCall): LoggedCall['modules'][number]['facts'] {
  return call.modules.find(({ name }) => name === 'router')?.facts ?? {};
}
