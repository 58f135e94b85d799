import { Link } from '@tanstack/react-router';
import { type RangeName, rangeStart, type Summary } from '../../api/queries.ts';
import { count } from '../../parts/format.ts';
import { Badge, Section } from '../../parts/states.tsx';

interface ErrorsProps {
  readonly errors: Summary['errors'];
  readonly range: RangeName;
}

/** Each leads to the calls that it is about. */
export function Errors({ errors, range }: ErrorsProps) {
  return (
    <Section title="What went wrong">
      {errors.length === 0 ? (
        <p className="text-sm text-muted">No errors in this period.</p>
      ) : (
        <ul className="flex flex-col">
          {errors.slice(0, 8).map(({ status, code, count: times }) => (
            <li key={`${status} ${code}`}>
              <Link
                to="/requests"
                search={{
                  status: status >= 400 ? String(status) : 'error',
                  ...(code !== null && !endings.has(code) && { search: code }),
                  from: rangeStart(range).toISOString(),
                }}
                className="-mx-2 flex items-center gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-sunken"
              >
                <Badge tone={toneOf(status)}>{status}</Badge>
                <span className="min-w-0 grow truncate">{wordsOf(code)}</span>
                <span className="text-muted">{count(times)}</span>
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

/** Ours to refuse, or a failure. */
function toneOf(status: number): 'refused' | 'failed' {
  return status >= 500 || status < 400 ? 'failed' : 'refused';
}

function wordsOf(code: string | null): string {
  return code === null ? 'the provider refused' : code.replaceAll('_', ' ');
}
