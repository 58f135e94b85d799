import { CallReceipts } from '../../calls/call-receipts.ts';
import { limits } from '../../receipts/limits.ts';
import { ReceiptIssuer } from '../../receipts/receipt-issuer.ts';
import { ReceiptKeys } from '../../receipts/receipt-keys.ts';
import type { SigningKey } from '../../receipts/signing-key.ts';
import { receiptsRoutes } from '../../server/api/routes/receipts.ts';
import type { Log } from '../../telemetry/log.ts';
import { logReturn } from '../../telemetry/outage.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Stores } from './stores.ts';

interface ReceiptsPart extends Part {
  readonly signer: SigningKey;
  readonly receipts: CallReceipts;
}

interface ReceiptParts {
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
}

/** Receipts and their signing keys. */
export async function receiptsPart({ log, roots: rootSecrets, stores }: ReceiptParts): Promise<ReceiptsPart> {
  const { receipts } = stores.database;
  const keys = await ReceiptKeys.open(rootSecrets.deriveKeys('receipts'), receipts, stores.clock);
  const issuer = new ReceiptIssuer({
    receipts,
    key: keys.current,
    onError: (err) => log.error({ err }, 'could not store receipts; will retry'),
    onRecovered: (ms) => logReturn(log, 'receipts are stored again', ms),
    onDrop: () => log.error({}, 'the receipt queue is full; some calls get no receipt'),
  });
  return {
    signer: keys.current,
    receipts: new CallReceipts(issuer, stores.clock),
    routes: receiptsRoutes({ receipts, issuer, keys }),
    gauges: [
      {
        name: 'weir_receipts_waiting',
        help: `Receipts waiting to be stored, max ${limits.receiptsWaiting}`,
        read: () => issuer.waiting,
      },
      {
        name: 'weir_receipts_dropped_total',
        help: 'Lost receipts',
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
