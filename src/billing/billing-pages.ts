import type { TierId } from '../kernel/ports/records.ts';
import { escapeHtml, htmlPage, htmlPagePolicy } from '../lib/html.ts';
import { groupThousands } from './group-thousands.ts';
import { tiers } from './tiers.ts';

/** The page after a checkout. It is the same for every account and does not show what was bought. */
export function welcomePage(): string {
  return page(
    'Welcome',
    `<p class="sign" aria-hidden="true">✓</p>
<h1>Thank you</h1>
<p>Your payment is with our processor. As soon as it is confirmed, mostly within seconds, your next request counts on your new
plan, with the keys that you have. There is nothing to change in your programs.</p>
<p>You can close this page. Invoices, your card and your plan are under <a href="../billing">Billing</a>.</p>`,
  );
}

/** The page with the plans, also the target of a canceled checkout. */
export function plansPage(tierLimits: Readonly<Record<TierId, number>>): string {
  const plans = tiers.map(({ id, name, priceUsdPerMonth, overage }) => {
    const price = priceUsdPerMonth === 0 ? '$0' : `$${priceUsdPerMonth} a month`;
    const more = overage ? 'More with prepaid credits, if you like' : 'Ends at the cap';
    const requests = groupThousands(tierLimits[id]);
    return `<li><h2>${escapeHtml(name)}</h2><p class="price">${escapeHtml(price)}</p>
<p>${escapeHtml(requests)} requests a month</p><p class="quiet">${escapeHtml(more)}</p></li>`;
  });
  return page(
    'Plans',
    `<h1>Choose a plan</h1>
<p>Nothing is charged until you have confirmed it with our payment processor.</p>
<ul class="plans">
${plans.join('\n')}
</ul>
<p>Choose one under <a href="../billing">Billing</a>.</p>
<p class="quiet">Programs send <code>POST /v1/billing/checkout</code> with <code>{"tier": "pro"}</code> and open the URL in the response.</p>`,
  );
}

function page(title: string, body: string): string {
  return htmlPage({ title, home: '../', style, body });
}

const style = `
.sign { width: 2.5rem; height: 2.5rem; margin: 0 0 1rem; border-radius: 50%; display: grid; place-items: center;
  font-size: 1.25rem; color: var(--on-accent); background: var(--good); }
.plans { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); }
.plans li { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.1rem; background: var(--surface); }
.plans h2 { margin: 0; }
.plans p { margin: .35rem 0 0; }
.price { font-size: 1.2rem; font-weight: 600; }
`;

export const billingPagePolicy = htmlPagePolicy({ style });
