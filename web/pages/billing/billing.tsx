import { useMutation, useQuery } from '@tanstack/react-query';
import { ApiError, api, told } from '../../api/client.ts';
import { billingUsage, catalog } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { count, dateOf, percent } from '../../parts/format.ts';
import { Badge, Failure, Gauge, Loaded, Page, Rows, Section } from '../../parts/states.tsx';
import { Credits } from './credits.tsx';
import { Invoices } from './invoices.tsx';
import { Ledger } from './ledger.tsx';

const billingPage = () => `${location.origin}/billing`;

/** Leaves for the payment processor's own page. */
function leaveFor({ url }: { readonly url: string }): void {
  location.assign(url);
}

/** Plan, use of it, credits, and what became of them. */
export function Billing() {
  const used = useQuery(billingUsage);
  return (
    <Page
      title="Billing"
      lead="Payments are made on the processor’s own pages; this gateway never sees a card."
    >
      <Loaded of={used} loading={<Rows count={6} />}>
        {(data) => (
          <>
            <Plan tier={data.tier} />
            <Section title="This period" aside={`${dateOf(data.period.start)} to ${dateOf(data.period.end)}`}>
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
            <Invoices />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Plan({ tier }: { readonly tier: string }) {
  const { data } = useQuery(catalog);
  const upgrading = useMutation({
    mutationFn: (wanted: 'pro' | 'team') =>
      told(
        api.POST('/v1/billing/checkout', {
          body: { tier: wanted, successUrl: billingPage(), cancelUrl: billingPage() },
        }),
      ),
    onSuccess: leaveFor,
  });
  const managing = useMutation({
    mutationFn: () => told(api.POST('/v1/billing/portal', { body: { returnUrl: billingPage() } })),
    onSuccess: leaveFor,
  });
  const error = upgrading.error ?? managing.error;
  return (
    <Section
      title="Plan"
      aside={
        tier !== 'free' && (
          <Button busy={managing.isPending} onClick={() => managing.mutate()}>
            Change, cards and invoices
          </Button>
        )
      }
    >
      <ul className="grid gap-3 sm:grid-cols-3">
        {(data?.tiers ?? []).map(({ id, name, price_usd_per_month: price, requests_per_month: requests }) => (
          <li
            key={id}
            className={`flex flex-col gap-1 rounded-lg border bg-surface p-4 ${id === tier ? 'border-accent' : 'border-line'}`}
          >
            <div className="flex items-center justify-between">
              <h3 className="text-sm font-medium">{name}</h3>
              {id === tier && <Badge tone="accent">yours</Badge>}
            </div>
            <p className="text-lg font-semibold">
              ${price} <span className="text-sm font-normal text-muted">a month</span>
            </p>
            <p className="text-sm text-muted">{count(requests)} requests</p>
            {tier === 'free' && (id === 'pro' || id === 'team') && (
              <Button
                look={id === 'pro' ? 'primary' : 'plain'}
                className="mt-2"
                busy={upgrading.isPending}
                onClick={() => upgrading.mutate(id)}
              >
                Upgrade to {name}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {error !== null &&
        (error instanceof ApiError && error.detail?.startsWith('billing_not_configured') === true ? (
          <p role="alert" className="text-sm text-refused">
            This gateway has no payment processor; whoever runs it can set your plan.
          </p>
        ) : (
          <Failure error={error} />
        ))}
    </Section>
  );
}
