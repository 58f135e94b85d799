import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { useFeature } from '../../api/features.ts';
import { type BillingUsage, catalog } from '../../api/queries.ts';
import { Button, Field, Input, Select } from '../../parts/controls.tsx';
import { count, usd as dollars } from '../../parts/format.ts';
import { useRights } from '../../parts/rights.tsx';
import { Failure, Section } from '../../parts/states.tsx';

const sums = [5, 10, 25, 50, 100];

/** Prepaid, for calls past the cap. */
export function Credits({ data }: { readonly data: BillingUsage }) {
  const client = useQueryClient();
  const { data: prices } = useQuery(catalog);
  const perUsd = prices?.credit.credits_per_usd ?? 100_000;
  const [usd, setUsd] = useState(5);
  const canBuy = useFeature('checkout');
  const changed = () => client.invalidateQueries({ queryKey: ['billing'] });
  const buying = useMutation({
    mutationFn: () => {
      const page = `${location.origin}/billing`;
      return told(
        api.POST('/v1/billing/credits', {
          body: { credits: usd * perUsd, successUrl: `${page}?paid=credits`, cancelUrl: page },
        }),
      );
    },
    onSuccess: ({ url }) => location.assign(url),
  });
  const switching = useMutation({
    mutationFn: (enabled: boolean) => told(api.PUT('/v1/billing/overage', { body: { enabled } })),
    onSuccess: changed,
  });
  const mayChange = useRights()('billing:write');
  if (data.tier === 'free' && !canBuy) return null;
  if (data.tier === 'free')
    return (
      <Section title="Credits">
        <p className="text-sm text-muted">
          Prepaid credits, for calls past the cap, come with a paid plan. On the free one the cap is hard.
        </p>
      </Section>
    );
  return (
    <Section title="Credits" aside={`${count(data.credits)} left`}>
      <fieldset className="flex min-w-0 flex-col gap-2.5" disabled={!mayChange}>
        {canBuy && (
          <form
            className="flex flex-wrap items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              buying.mutate();
            }}
          >
            <Field label="Buy credits">
              {(field) => (
                <Select {...field} value={usd} onChange={(event) => setUsd(Number(event.target.value))}>
                  {sums.map((sum) => (
                    <option key={sum} value={sum}>
                      ${sum}, {count(sum * perUsd)} credits
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <Button type="submit" busy={buying.isPending}>
              Buy
            </Button>
          </form>
        )}
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={data.overage.enabled}
            disabled={switching.isPending}
            onChange={(event) => switching.mutate(event.target.checked)}
          />
          Calls past the cap may use them, {data.overage.creditsPerRequest} for each
        </label>
        {canBuy && <Recharge data={data} perUsd={perUsd} onChanged={changed} />}
        {(buying.error ?? switching.error) !== null && <Failure error={buying.error ?? switching.error} />}
      </fieldset>
    </Section>
  );
}

function Recharge({
  data: { autoRecharge },
  perUsd,
  onChanged,
}: {
  readonly data: BillingUsage;
  readonly perUsd: number;
  readonly onChanged: () => Promise<void>;
}) {
  const [threshold, setThreshold] = useState(autoRecharge.threshold);
  const [amount, setAmount] = useState(Math.max(50_000, autoRecharge.amount));
  const setting = useMutation({
    mutationFn: (enabled: boolean) =>
      told(
        api.PUT('/v1/billing/auto-recharge', {
          body: enabled ? { enabled, threshold, amount } : { enabled },
        }),
      ),
    onSuccess: onChanged,
  });
  return (
    <details>
      <summary className="cursor-pointer text-sm">
        Recharge by itself: {autoRecharge.enabled ? 'on' : 'off'}
      </summary>
      <form
        className="mt-3 flex flex-wrap items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setting.mutate(true);
        }}
      >
        <Field label="When credits fall below" hint={dollars(threshold / perUsd)}>
          {(field) => (
            <Input
              {...field}
              type="number"
              min={0}
              step={1000}
              value={threshold}
              onChange={(event) => setThreshold(Number(event.target.value))}
            />
          )}
        </Field>
        <Field label="Credits to buy" hint={dollars(amount / perUsd)}>
          {(field) => (
            <Input
              {...field}
              type="number"
              min={50_000}
              step={1000}
              value={amount}
              onChange={(event) => setAmount(Number(event.target.value))}
            />
          )}
        </Field>
        <Button type="submit" className="mt-6" busy={setting.isPending}>
          {autoRecharge.enabled ? 'Change' : 'Switch on'}
        </Button>
        {autoRecharge.enabled && (
          <Button look="quiet" className="mt-6" onClick={() => setting.mutate(false)}>
            Switch off
          </Button>
        )}
      </form>
      {autoRecharge.reason !== null && (
        <p className="mt-2 text-sm text-refused">It switched itself off: {autoRecharge.reason}.</p>
      )}
      {setting.error !== null && <Failure error={setting.error} />}
    </details>
  );
}
