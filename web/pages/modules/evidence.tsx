import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pattern } from '../../api/queries.ts';
import { timeOf, utc } from '../../parts/format.ts';
import { Loaded, Skeleton } from '../../parts/states.tsx';

const shownMax = 5;

interface Share {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

function share({ mean, low, high }: Share): string {
  const percent = (value: number) => Math.round(value * 100);
  return `≈ ${percent(mean)} % (${percent(low)} to ${percent(high)})`;
}

/** How conversations went with it and without it, and where it came from. */
export function Evidence({ id }: { readonly id: string }) {
  const asked = useQuery(pattern(id));
  return (
    <Loaded of={asked} loading={<Skeleton className="h-20" />}>
      {({ worth, wins, losses, holdout, evidence, story }) => (
        <section aria-label="Evidence" className="flex flex-col gap-2 rounded-md bg-sunken p-3 text-sm">
          <dl className="grid grid-cols-[6rem_1fr] gap-y-0.5 [&>dt]:text-muted">
            <dt>With it</dt>
            <dd>
              {wins} of {wins + losses} succeeded: {share(worth.with)}
            </dd>
            <dt>Without it</dt>
            <dd>
              {holdout.wins} of {holdout.wins + holdout.losses} succeeded: {share(worth.without)}
            </dd>
            <dt>It helps</dt>
            <dd>with a probability of ≈ {Math.round(worth.helps * 100)} %</dd>
          </dl>
          {evidence.length > 0 && (
            <p className="flex flex-wrap gap-x-2 text-xs text-muted">
              From
              {evidence.slice(0, shownMax).map((call) => (
                <Link
                  key={call}
                  to="/requests"
                  search={{ open: call }}
                  className="font-mono text-accent underline"
                >
                  {call.slice(0, 16)}…
                </Link>
              ))}
            </p>
          )}
          <ul className="text-xs text-muted">
            {story.slice(-shownMax).map(({ at, what }) => (
              <li key={`${at} ${what}`}>
                <span title={utc(at)}>{timeOf(at)}</span> {what}
              </li>
            ))}
          </ul>
        </section>
      )}
    </Loaded>
  );
}
