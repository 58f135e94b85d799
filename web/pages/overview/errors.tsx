import { Link } from '@tanstack/react-router';
import { type RangeName, rangeStart, type Summary } from '../../api/queries.ts';
import { filterOfErrors, groupByCause } from '../../parts/causes.ts';
import { count } from '../../parts/format.ts';
import { Badge, Section } from '../../parts/states.tsx';

interface ErrorsProps {
  readonly errors: Summary['errors'];
  readonly range: RangeName;
}

const causesMax = 8;

/** Each leads to the calls that it is about. */
export function Errors({ errors, range }: ErrorsProps) {
  return (
    <Section title="Errors">
      {errors.length === 0 ? (
        <p className="text-sm text-muted">No errors in this period.</p>
      ) : (
        <ul className="flex flex-col">
          {groupByCause(errors)
            .slice(0, causesMax)
            .map(({ cause, tone, count: times, errors: same }) => (
              <li key={cause}>
                <Link
                  to="/requests"
                  search={{ ...filterOfErrors(same), from: rangeStart(range).toISOString() }}
                  className="-mx-2 flex items-center gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-sunken"
                >
                  <Badge tone={tone}>{same[0].status}</Badge>
                  <span className="min-w-0 grow truncate" title={cause}>
                    {cause}
                  </span>
                  <span className="text-right text-muted">{count(times)}</span>
                </Link>
              </li>
            ))}
        </ul>
      )}
    </Section>
  );
}
