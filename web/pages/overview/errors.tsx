import { Link } from '@tanstack/react-router';
import { type RangeName, rangeStart, type Summary } from '../../api/queries.ts';
import { type CallError, causeOf, toneOf } from '../../parts/causes.ts';
import { count } from '../../parts/format.ts';
import { Badge, Section } from '../../parts/states.tsx';

interface ErrorsProps {
  readonly errors: Summary['errors'];
  readonly range: RangeName;
}

/** Each leads to the calls that it is about. */
export function Errors({ errors, range }: ErrorsProps) {
  return (
    <Section title="Errors">
      {errors.length === 0 ? (
        <p className="text-sm text-muted">No errors in this period.</p>
      ) : (
        <ul className="flex flex-col">
          {errors.slice(0, 8).map(({ count: times, ...error }) => (
            <li key={JSON.stringify(error)}>
              <Link
                to="/requests"
                search={{ ...filterOf(error), from: rangeStart(range).toISOString() }}
                className="-mx-2 flex items-center gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-sunken"
              >
                <Badge tone={toneOf(error.status)}>{error.status}</Badge>
                <span className="min-w-0 grow truncate" title={causeOf(error)}>
                  {causeOf(error)}
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

/** What stands in for a code where an answer broke off. */
const endings: ReadonlySet<string> = new Set(['failed', 'aborted']);

/** The calls that it is about. */
function filterOf({ status, code, provider, provider_error: named }: CallError) {
  const search = named ?? (code !== null && !endings.has(code) ? code : undefined);
  return {
    status: status >= 400 ? String(status) : 'error',
    ...(search !== undefined && { search }),
    ...(provider !== null && { provider }),
  };
}
