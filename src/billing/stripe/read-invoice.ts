import type Stripe from 'stripe';
import type { Invoice } from '../billing-processor.ts';

export function readInvoice(invoice: Stripe.Invoice): Invoice {
  return {
    id: invoice.id ?? '',
    number: invoice.number,
    atMs: invoice.created * 1000,
    status: invoice.status ?? 'draft',
    total: invoice.total,
    currency: invoice.currency,
    url: invoice.hosted_invoice_url ?? null,
  };
}
