import { useQuery } from '@tanstack/react-query';
import { type Budget, budgets, usageIn } from '../../api/queries.ts';
import { count, percent, usd } from '../../parts/format.ts';

type Window = Budget['window'];

/** What a key spent in the UTC day or month, against its ceiling if it has one. */
export function KeySpend({ id, window }: { readonly id: string; readonly window: Window }) {
  const { data } = useQuery(usageIn(window));
  const { data: ceilings } = useQuery(budgets);
  const budget = ceilings?.budgets.find((one) => one.key_id === id && one.window === window);
  const spent = budget?.spent_usd ?? data?.keys.find((one) => one.key_id === id)?.cost_usd ?? '0';
  if (data === undefined) return <span className="text-muted">–</span>;
  if (budget === undefined) return <span>{usd(spent)}</span>;
  return <SpendGauge budget={budget} />;
}

function SpendGauge({ budget }: { readonly budget: Budget }) {
  const [spent, held, ceiling] = [budget.spent_usd, budget.held_usd, budget.ceiling_usd].map(Number) as [
    number,
    number,
    number,
  ];
  const share = (amount: number) => Math.min(100, (100 * amount) / ceiling);
  const fill = spent + held >= ceiling * 0.9 ? 'fill-refused' : 'fill-accent';
  const text = `${usd(spent)} of ${usd(ceiling)}`;
  const held100 = held > 0 ? `, ${usd(held)} held for calls in flight` : '';
  return (
    <span
      className="inline-flex min-w-24 flex-col items-end gap-1"
      title={`${percent(spent, ceiling)}${held100}`}
    >
      <span>{text}</span>
      <svg
        role="img"
        aria-label={`${percent(spent, ceiling)} of the ceiling${held100}`}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        className="h-1 w-full overflow-hidden rounded-sm"
      >
        <rect width="100" height="4" className="fill-sunken" />
        {held > 0 && <rect width={share(spent + held)} height="4" className={fill} opacity=".4" />}
        <rect width={share(spent)} height="4" className={fill} />
      </svg>
    </span>
  );
}

/** Calls of a key in this UTC month. */
export function KeyCalls({ id }: { readonly id: string }) {
  const { data } = useQuery(usageIn('month'));
  return <>{data === undefined ? '–' : count(data.keys.find((one) => one.key_id === id)?.requests ?? 0)}</>;
}
