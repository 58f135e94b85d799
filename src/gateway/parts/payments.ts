import { systemClock } from '../../kernel/clock.ts';
import { ChallengeDesk } from '../../payments/challenge-desk.ts';
import { paidRoute } from '../../payments/offer.ts';
import { agentMessagesRoutes } from '../../server/own/routes/agent-messages.ts';
import { paymentsRoutes } from '../../server/own/routes/payments.ts';
import type { Log } from '../../telemetry/log.ts';
import { anthropicMessages } from '../../wire/index.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { PublicAddress } from './people.ts';
import type { Stores } from './stores.ts';

interface Payments extends Part {
  /** What is paid for call by call. */
  readonly paidRoutes: readonly (typeof paidRoute)[];
}

interface PaymentParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly stores: Stores;
  readonly address: PublicAddress;
}

/** Calls that machines pay for without an account. */
export function paymentsPart({ settings, log, stores, address }: PaymentParts): Payments {
  if (settings.mpp.offered === 'off') return { paidRoutes: [] };
  const { challenges, ledger } = stores.database;
  const realm = () => new URL(address.url).host;
  const desk = new ChallengeDesk({
    challenges,
    attempts: stores.shared.attempts,
    clock: systemClock,
    payee: settings.mpp,
    realm,
    onFault: (err) => log.error({ err }, 'old payment challenges are not forgotten yet'),
  });
  return {
    paidRoutes: [paidRoute],
    routes: [
      ...agentMessagesRoutes({
        desk,
        problemBase: () => `${address.url}/problems`,
        wire: anthropicMessages,
      }),
      ...paymentsRoutes({ realm, ledger }),
    ],
    features: ['machine-payments'],
    close: () => desk.settled(),
  };
}
