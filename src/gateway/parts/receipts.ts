import { CallReceipts } from '../../calls/call-receipts.ts';
import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import { ReceiptIssuer } from '../../receipts/receipt-issuer.ts';
import { ReceiptKeys } from '../../receipts/receipt-keys.ts';
import { receiptsRoutes } from '../../server/api/routes/receipts.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Stores } from './stores.ts';

interface ReceiptsPart extends Part {
  readonly receipts: CallReceipts;
}

interface ReceiptParts {
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
}

/** What callers can show of their calls, and the keys that it is checked with. */
export async function receiptsPart({ log, roots: rootSecrets, stores }: ReceiptParts): Promise<ReceiptsPart> {
  const { receipts } = stores.database;
  const keys = await ReceiptKeys.open(rootSecrets.deriveKeys('receipts'), receipts, systemClock);
  const issuer = new ReceiptIssuer({
    receipts,
    key: keys.current,
    onError: (err) => log.error({ err }, 'receipts are not stored yet'),
    onDrop: () => log.error({}, 'some calls get no receipt'),
  });
  return {
    receipts: new CallReceipts(issuer, systemClock),
    routes: receiptsRoutes({ receipts, issuer, keys }),
    gauges: [
      {
        name: 'weir_receipts_waiting',
        help: `Receipts that are not stored yet, of ${limits.receiptsWaiting}`,
        read: () => issuer.waiting,
      },
      {
        name: 'weir_receipts_dropped',
        help: 'Receipts that were lost',
        read: () => issuer.dropped,
      },
    ],
    features: ['receipts'],
    async close(untilMs) {
      if (!(await issuer.drain(untilMs - performance.now())))
        log.error({}, 'some receipts could not be stored');
    },
  };
}
