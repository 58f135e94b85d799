import { hash } from 'node:crypto';
import type { TierId } from '../kernel/ports/records.ts';
import { escapeHtml, htmlPage } from '../lib/html.ts';
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
<p>You can close this page.</p>
<p class="quiet">Invoices, your card and your plan are in the customer portal: <code>POST /v1/billing/portal</code>.</p>`,
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
<p>Log in, request a checkout and open the URL in the response:</p>
<pre>POST /v1/billing/checkout
{"tier": "pro"}</pre>`,
  );
}

function page(title: string, body: string): string {
  return htmlPage({ title, style, body: `<main>\n${body}\n</main>` });
}

const style = `
:root { color-scheme: light dark; font: 17px/1.55 system-ui, sans-serif; --line: #8884; --accent: #1a7f37; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { max-width: 44rem; padding: 2rem 1.25rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.05rem; margin: 0; }
.sign { width: 3rem; height: 3rem; margin: 0 0 1rem; border-radius: 50%; display: grid; place-items: center;
  font-size: 1.5rem; color: #fff; background: var(--accent); }
.plans { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); }
.plans li { border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.1rem; }
.plans p { margin: .35rem 0 0; }
.price { font-size: 1.35rem; font-weight: 600; }
.quiet { opacity: .7; font-size: .92rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .9em; }
pre { border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; }
`;

/** Allows no scripts and no requests. */
export const billingPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
