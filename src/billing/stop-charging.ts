import type { BillingAccounts } from '../kernel/ports/billing.ts';
import type { BillingProcessor } from './billing-processor.ts';
import { notConfiguredError } from './billing-service.ts';
import { callProcessor } from './call-processor.ts';

interface StopChargingParts {
  readonly billing: Pick<BillingAccounts, 'get' | 'stopAutoRecharge'>;
  /** Undefined if this gateway has none. */
  readonly backend:
    | { readonly processor: Pick<BillingProcessor, 'cancelAll'>; onFault(cause: unknown): void }
    | undefined;
}

/** Stops all charges to an account that is about to be deleted; throws if the processor can't be reached. */
export async function stopCharging(
  { billing, backend }: StopChargingParts,
  accountId: string,
): Promise<void> {
  const { customerId, subscriptionId } = await billing.get(accountId);
  if (customerId !== null) {
    if (backend !== undefined)
      await callProcessor(() => backend.processor.cancelAll(customerId), backend.onFault);
    else if (subscriptionId !== null) throw notConfiguredError('cancel');
  }
  await billing.stopAutoRecharge(accountId, 'the account is deleted');
}
