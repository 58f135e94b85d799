import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFeature } from '../../api/features.ts';
import { catalog } from '../../api/queries.ts';
import { count, usd } from '../../parts/format.ts';
import { Loaded, Section, Skeleton } from '../../parts/states.tsx';
import { useSignUpPolicy } from './sign-up-policy.ts';
import { TrySandbox } from './try-sandbox.tsx';

/** What it is, and the thing itself to try. */
export function Start() {
  const canBuy = useFeature('checkout');
  const canSignUp = useSignUpPolicy() === 'on';
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-14 px-4 pt-8 pb-20 sm:px-6 sm:pt-14">
      <title>Weir</title>
      <div className="grid items-start gap-10 lg:grid-cols-[1fr_1.15fr]">
        <div className="flex flex-col gap-4">
          <h1 className="text-3xl leading-tight font-semibold tracking-tight text-balance">
            One address for every AI model. Your SDK stays as it is.
          </h1>
          <p className="max-w-prose text-base text-muted">
            Keep your SDK, change its base address. Every call is metered to the token, held under your
            ceilings, and answered from a cache where that is safe. Switch on what else should happen, module
            by module.
          </p>
          <ul className="flex flex-col gap-1.5 text-sm">
            <li>Messages, Chat Completions, Responses and Gemini, to any provider.</li>
            <li>Ceilings in dollars that hold under any load.</li>
            <li>A log of what each call cost, and why. Content stays out of it unless you record it.</li>
            <li>Receipts that anyone can verify.</li>
          </ul>
        </div>
        <TrySandbox />
      </div>
      {canBuy && <Prices canSignUp={canSignUp} />}
    </div>
  );
}

function Prices({ canSignUp }: { readonly canSignUp: boolean }) {
  const prices = useQuery(catalog);
  return (
    <Section title="Prices" aside="You bring your own provider keys and pay providers directly.">
      <Loaded of={prices} loading={<Skeleton className="h-32" />}>
        {({ tiers, credit }) => (
          <>
            <ul className="grid gap-3 sm:grid-cols-3">
              {tiers.map(
                ({ id, name, price_usd_per_month: price, requests_per_month: requests, overage }) => (
                  <li key={id} className="flex flex-col gap-1 rounded-lg border border-line bg-surface p-4">
                    <h3 className="text-sm font-medium">{name}</h3>
                    <p className="text-xl font-semibold">
                      ${price} <span className="text-sm font-normal text-muted">a month</span>
                    </p>
                    <p className="text-sm text-muted">{count(requests)} requests a month</p>
                    <p className="text-sm text-muted">
                      {overage
                        ? `${usd((1000 * credit.overage_credits_per_request) / credit.credits_per_usd)} for each 1,000 more, prepaid`
                        : 'A hard cap'}
                    </p>
                  </li>
                ),
              )}
            </ul>
            <p className="text-sm text-muted">
              A dollar buys {count(credit.credits_per_usd)} credits. Nobody is ever invoiced for more than
              they bought.{' '}
              {canSignUp && (
                <Link to={'/signup' as string} className="text-accent underline">
                  Sign up
                </Link>
              )}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
