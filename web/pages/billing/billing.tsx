import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, told } from '../../api/client.ts';
import { useFeature } from '../../api/features.ts';
import { billingUsage, catalog } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { count, percent, utcDateOf } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Badge, Failure, Gauge, Loaded, Page, Rows, Section, Skeleton } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { Credits } from './credits.tsx';
import { Invoices } from './invoices.tsx';
import { Ledger } from './ledger.tsx';

const route = getRouteApi('/billing');
const billingPage = () => `${location.origin}/billing`;
const pollMs = 3000;

/** Leaves for the payment processor's own page. */
function leaveFor({ url }: { readonly url: string }): void {
  location.assign(url);
}

/** Plan, use of it, credits, and what became of them. */
export function Billing() {
  const { paid } = route.useSearch();
  const canBuy = useFeature('checkout');
  // The processor tells the gateway of a payment in its own time.
  const used = useQuery({ ...billingUsage, refetchInterval: paid === undefined ? false : pollMs });
  const plans = useQuery(catalog);
  return (
    <Page
      title="Billing"
      lead={
        canBuy
          ? 'Payments are made on the processor’s own pages; this gateway never sees a card.'
          : 'Your plan and what you used of it.'
      }
    >
      <Together of={[used, plans]} loading={<Rows count={6} />}>
        <Loaded of={used} loading={<Rows count={6} />}>
          {(data) => (
            <>
              {paid !== undefined && <Paid what={paid} tier={data.tier} />}
              <Plan tier={data.tier} isPaid={paid === 'plan'} />
              <Section
                title="This period"
                aside={`${utcDateOf(data.period.start)} to ${utcDateOf(data.period.end)} UTC`}
              >
                <Gauge
                  label="Requests"
                  value={data.requests.used}
                  max={data.requests.limit}
                  text={`${count(data.requests.used)} of ${count(data.requests.limit)} · ${percent(data.requests.used, data.requests.limit)}`}
                  tone={data.requests.used >= data.requests.limit * 0.9 ? 'refused' : 'accent'}
                />
                {data.requests.pastCap > 0 && (
                  <p className="text-sm text-muted">
                    {count(data.requests.pastCap)} past the cap, paid with credits.
                  </p>
                )}
              </Section>
              <Credits data={data} />
              <Ledger first={data} />
              {canBuy && <Invoices />}
            </>
          )}
        </Loaded>
      </Together>
    </Page>
  );
}

function Paid({ what, tier }: { readonly what: 'plan' | 'credits'; readonly tier: string }) {
  const said =
    what === 'credits'
      ? 'They are added as soon as the payment completes.'
      : tier === 'free'
        ? 'Waiting to hear from the processor that the payment is through…'
        : 'The payment is complete.';
  return (
    <p role="status" className="rounded-md bg-saved-soft px-3 py-2 text-sm text-saved">
      Thank you. {said}
    </p>
  );
}

interface PlanProps {
  readonly tier: string;
  /** Whether one was paid for a moment ago, so that nobody pays twice. */
  readonly isPaid: boolean;
}

function Plan({ tier, isPaid }: PlanProps) {
  const { data } = useQuery(catalog);
  const upgrading = useMutation({
    mutationFn: (wanted: 'pro' | 'team') =>
      told(
        api.POST('/v1/billing/checkout', {
          body: { tier: wanted, successUrl: `${billingPage()}?paid=plan`, cancelUrl: billingPage() },
        }),
      ),
    onSuccess: leaveFor,
  });
  const managing = useMutation({
    mutationFn: () => told(api.POST('/v1/billing/portal', { body: { returnUrl: billingPage() } })),
    onSuccess: leaveFor,
  });
  const canBuy = useFeature('checkout');
  const mayChange = useRights()('billing:write');
  const error = upgrading.error ?? managing.error;
  return (
    <Section
      title="Plan"
      aside={
        tier !== 'free' &&
        canBuy &&
        mayChange && (
          <Button busy={managing.isPending} onClick={() => managing.mutate()}>
            Change, cards and invoices
          </Button>
        )
      }
    >
      <ul className="grid gap-3 sm:grid-cols-3">
        {data === undefined &&
          ['free', 'pro', 'team'].map((id) => <Skeleton key={id} className="h-[9.4rem]" />)}
        {(data?.tiers ?? []).map(({ id, name, price_usd_per_month: price, requests_per_month: requests }) => (
          <li
            key={id}
            className={`flex flex-col gap-1 rounded-lg border bg-surface p-4 ${id === tier ? 'border-accent' : 'border-line'}`}
          >
            <div className="flex min-h-5 items-center justify-between">
              <h3 className="text-sm font-medium">{name}</h3>
              {id === tier && <Badge tone="accent">Current plan</Badge>}
            </div>
            <p className="text-lg font-semibold">
              ${price} <span className="text-sm font-normal text-muted">a month</span>
            </p>
            <p className="text-sm text-muted">{count(requests)} requests</p>
            {canBuy && mayChange && tier === 'free' && (id === 'pro' || id === 'team') && (
              <Button
                look={id === 'pro' ? 'primary' : 'plain'}
                className="mt-2"
                busy={upgrading.isPending || isPaid}
                onClick={() => upgrading.mutate(id)}
              >
                Upgrade to {name}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!canBuy && <p className="text-sm text-muted">The operator of this gateway sets your plan.</p>}
      {error !== null && <Failure error={error} />}
    </Section>
  );
}
