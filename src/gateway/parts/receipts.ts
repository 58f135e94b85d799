import { CallReceipts } from '../../calls/call-receipts.ts';
import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import { ReceiptKeys } from '../../receipts/receipt-keys.ts';
import { ReceiptOffice } from '../../receipts/receipt-office.ts';
import { receiptsRoutes } from '../../server/own/routes/receipts.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Roots } from '../secrets.ts';
import type { Stores } from './stores.ts';

interface Receipted extends Part {
  readonly receipts: CallReceipts;
}

interface ReceiptParts {
  readonly log: Log;
  readonly roots: Roots;
  readonly stores: Stores;
}

/** What callers can show of their calls, and the keys that it is checked with. */
export async function receiptsPart({ log, roots, stores }: ReceiptParts): Promise<Receipted> {
  const { receipts } = stores.database;
  const keys = await ReceiptKeys.open(roots.derived('receipts'), receipts, systemClock);
  const office = new ReceiptOffice({
    receipts,
    key: keys.current,
    onError: (err) => log.error({ err }, 'receipts are not stored yet'),
    onDrop: () => log.error({}, 'some calls get no receipt'),
  });
  return {
    receipts: new CallReceipts(office, systemClock),
    routes: receiptsRoutes({ receipts, office, keys }),
    gauges: [
      {
        name: 'weir_receipts_waiting',
        help: `Receipts that are not stored yet, of ${limits.receiptsWaiting}`,
        read: () => office.waiting,
      },
      {
        name: 'weir_receipts_dropped',
        help: 'Receipts that were lost',
        read: () => office.dropped,
      },
    ],
    features: ['receipts'],
    async close(untilMs) {
      if (!(await office.drain(untilMs - performance.now())))
        log.error({}, 'some receipts could not be stored');
    },
  };
}
