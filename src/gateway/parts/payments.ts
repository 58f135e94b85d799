import { setTimeout as sleep } from 'node:timers/promises';
import { Sealer } from '../../accounts/sealer.ts';
import type { Admission } from '../../calls/admission.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import type { PaidModels } from '../../calls/paid-models.ts';
import type { Egress } from '../../egress/egress.ts';
import { ChallengeIssuer } from '../../payments/challenge-issuer.ts';
import { paidRoute } from '../../payments/offer.ts';
import { PaidAnswerStore } from '../../payments/paid-answer-store.ts';
import { PaymentCollector } from '../../payments/payment-collector.ts';
import type { PaymentProcessor } from '../../payments/payment-processor.ts';
import { StripeProcessor } from '../../payments/stripe-processor.ts';
import { UnpaidCallLimiter } from '../../payments/unpaid-call-limiter.ts';
import { paymentsRoutes } from '../../server/api/routes/payments.ts';
import { clientAddressOf } from '../../server/gateway-server.ts';
import { PaidCalls } from '../../server/paid/paid-calls.ts';
import { PaidInferenceHandler } from '../../server/paid/paid-inference.ts';
import { paidInferenceRoute } from '../../server/paid/paid-route.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { anthropicMessages } from '../../wire/index.ts';
import { limits } from '../limits.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { lazyStripe } from '../stripe-client.ts';
import type { PublicAddress } from './identity.ts';
import type { PayerServices } from './payers.ts';
import type { PipelinesPart } from './pipelines.ts';
import type { Stores } from './stores.ts';

interface PaymentsPart extends Part {
  /** The routes that are paid per call. */
  readonly paidRoutes: readonly (typeof paidRoute)[];
  openCalls(): number;
  abortAll(): void;
}

interface PaymentParts extends Pick<PipelinesPart, 'callRunner'> {
  readonly settings: Settings;
  readonly egress: Egress;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
  readonly metrics: Metrics;
  readonly address: PublicAddress;
  readonly admission: Admission;
  readonly receipts: CallReceipts;
  readonly models: PaidModels;
  /** Undefined if settlement is off. */
  readonly payers: PayerServices | undefined;
}

/** Calls that are paid individually, without an account. */
export function paymentsPart(parts: PaymentParts): PaymentsPart {
  const { settings, log, stores, address } = parts;
  if (settings.mpp.offered === 'off') {
    const cashier = createRefundCollector(parts);
    cashier?.start();
    return { paidRoutes: [], openCalls: () => 0, abortAll() {}, close: async () => cashier?.close() };
  }
  const { challenges, ledger } = stores.database;
  const realm = () => new URL(address.url).host;
  const challengeIssuer = new ChallengeIssuer({
    challenges,
    attempts: stores.shared.rateLimiter,
    clock: stores.clock,
    payee: settings.mpp,
    realm,
    onFault: (err) => log.error({ err }, 'could not delete expired payment challenges; will retry'),
  });
  const paymentServices = createPaymentServices(parts, challengeIssuer);
  const inference = new PaidInferenceHandler({
    challenges: challengeIssuer,
    models: parts.models,
    calls: paymentServices?.calls,
    log,
    problemBase: () => `${address.url}/problems`,
    addressOf: (req) => clientAddressOf(req, settings.trustedProxies),
  });
  const cashier = paymentServices?.collector ?? createRefundCollector(parts);
  cashier?.start();
  paymentServices?.answers.start();
  const untilDone = async (untilMs: number) => {
    while (inference.openCalls > 0 && performance.now() < untilMs) await sleep(20);
  };
  const isLive = paymentServices !== undefined;
  return {
    paidRoutes: [paidRoute],
    routes: [paidInferenceRoute(inference, anthropicMessages), ...paymentsRoutes({ realm, ledger, isLive })],
    gauges: [
      {
        name: 'weir_open_paid_calls',
        help: 'Open calls to the paid route',
        read: () => inference.openCalls,
      },
      {
        name: 'weir_open_payments',
        help: 'Payments in progress',
        read: () => cashier?.openPayments ?? 0,
      },
    ],
    features: ['machine-payments'],
    openCalls: () => inference.openCalls,
    abortAll: () => inference.abortAll(),
    drain: untilDone,
    async close(untilMs) {
      // Their clients are gone, but refunds may still be pending.
      inference.abortAll();
      await untilDone(untilMs);
      paymentServices?.answers.close();
      await cashier?.close();
      await challengeIssuer.whenCleanedUp();
    },
  };
}

interface PaymentServices {
  readonly collector: PaymentCollector;
  readonly answers: PaidAnswerStore;
  readonly calls: PaidCalls;
}

function createPaymentServices(
  parts: PaymentParts,
  challengeIssuer: ChallengeIssuer,
): PaymentServices | undefined {
  const { settings, stores, log, roots: rootSecrets, payers: payerServices } = parts;
  if (payerServices === undefined) return undefined;
  const { settlements, paidAnswers } = stores.database;
  const collector = createPaymentCollector(parts, payerServices.processor);
  const answers = new PaidAnswerStore({
    paidAnswers,
    settlements,
    sealer: new Sealer(rootSecrets.deriveKeys('paid answers')),
    clock: stores.clock,
    onFault: (err) => log.error({ err }, 'could not clean up paid answers; will retry'),
  });
  const calls = new PaidCalls({
    ...parts,
    ...payerServices,
    collector,
    answers,
    unpaidCalls: new UnpaidCallLimiter(stores.clock),
    keepAliveMs: settings.keepAliveMs,
    countPayment: (remoteAddress) =>
      challengeIssuer.enforceRateLimit(remoteAddress, 'tries to pay', limits.paymentsPerAddress),
  });
  return { collector, answers, calls };
}

/** Refunds payments that are still open after settlement was turned off. */
function createRefundCollector(parts: PaymentParts): PaymentCollector | undefined {
  const { egress, settings } = parts;
  const { stripeKey: key, stripeBase: base } = settings.mpp;
  return key === undefined
    ? undefined
    : createPaymentCollector(parts, new StripeProcessor(lazyStripe({ egress, key, base })));
}

function createPaymentCollector(
  { stores, log }: PaymentParts,
  paymentProcessor: PaymentProcessor,
): PaymentCollector {
  const { challenges, settlements } = stores.database;
  return new PaymentCollector({
    challenges,
    settlements,
    processor: paymentProcessor,
    clock: stores.clock,
    onFault: (err) => log.error({ err }, 'could not refund an abandoned payment; will retry'),
  });
}
