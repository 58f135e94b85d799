import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Budget, budgets } from '../../api/queries.ts';
import { percent, usd } from '../../parts/format.ts';
import { Gauge, Section } from '../../parts/states.tsx';

const shownMax = 4;

/** Whether their number is known, so that nothing below them moves. */
export function useCeilingsKnown(): boolean {
  return !useQuery(budgets).isPending;
}

/** What keys may spend in a UTC day or month, and what is left of it: those nearest to their ceiling. */
export function Ceilings() {
  const { data } = useQuery(budgets);
  const shown = data?.budgets.slice(0, shownMax) ?? [];
  if (shown.length === 0) return null;
  return (
    <Section
      title="Ceilings"
      aside={
        shown.some(({ key_id: id }) => id !== null) ? (
          <Link to="/keys" className="hover:underline">
            Keys
          </Link>
        ) : (
          'UTC days and months'
        )
      }
    >
      {shown.map((budget) => (
        <Ceiling key={`${budget.key_id} ${subjectOf(budget)} ${budget.window}`} budget={budget} />
      ))}
    </Section>
  );
}

/** A call is rejected if the most that it can cost is not left: then what other calls hold counts as well. */
function Ceiling({ budget }: { readonly budget: Budget }) {
  const { window, ceiling_usd: ceiling, left_usd: left } = budget;
  const [spent, held, max] = [budget.spent_usd, budget.held_usd, ceiling].map(Number) as [
    number,
    number,
    number,
  ];
  return (
    <div className="flex flex-col gap-1">
      <Gauge
        label={`${subjectOf(budget)}, ${window === 'day' ? 'today' : 'this month'}`}
        value={spent}
        extra={held}
        max={max}
        text={`${usd(spent)} of ${usd(max)} · ${percent(spent, max)}`}
        tone={spent + held >= max * 0.9 ? 'refused' : 'accent'}
      />
      {(held > 0 || spent > max / 2) && (
        <p className="text-xs text-muted">
          {held > 0 && `${usd(held)} held for calls in flight. `}
          {`Calls that could cost more than ${usd(left)} are rejected.`}
        </p>
      )}
    </div>
  );
}

function subjectOf({ name, tag, key_id: keyId }: Budget): string {
  if (tag !== null) return tag.value === null ? `Calls without ${tag.name}` : `${tag.name}: ${tag.value}`;
  return keyId === null ? 'All calls' : name;
}
