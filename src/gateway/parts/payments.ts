import { setTimeout as sleep } from 'node:timers/promises';
import { Sealing } from '../../accounts/sealing.ts';
import type { Admission } from '../../calls/admission.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import type { PaidModels } from '../../calls/paid-models.ts';
import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import { AnswerBook } from '../../payments/answer-book.ts';
import { Cashier } from '../../payments/cashier.ts';
import { ChallengeDesk } from '../../payments/challenge-desk.ts';
import { paidRoute } from '../../payments/offer.ts';
import type { Processor } from '../../payments/processor.ts';
import { StripeProcessor } from '../../payments/stripe-processor.ts';
import { VainCalls } from '../../payments/vain-calls.ts';
import { addressOf } from '../../server/front.ts';
import { paymentsRoutes } from '../../server/own/routes/payments.ts';
import { PaidCalls } from '../../server/paid/paid-calls.ts';
import { PaidInference } from '../../server/paid/paid-inference.ts';
import { paidInferenceRoute } from '../../server/paid/paid-route.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { anthropicMessages } from '../../wire/index.ts';
import type { Part } from '../part.ts';
import type { Roots } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { lazyStripe } from '../stripe-client.ts';
import type { Payers } from './payers.ts';
import type { PublicAddress } from './people.ts';
import type { Pipelines } from './pipelines.ts';
import type { Stores } from './stores.ts';

interface Payments extends Part {
  /** What is paid for call by call. */
  readonly paidRoutes: readonly (typeof paidRoute)[];
  abortAll(): void;
}

interface PaymentParts extends Pick<Pipelines, 'passage'> {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: Roots;
  readonly stores: Stores;
  readonly metrics: Metrics;
  readonly address: PublicAddress;
  readonly admission: Admission;
  readonly receipts: CallReceipts;
  readonly models: PaidModels;
  /** Undefined where no payment is settled. */
  readonly payers: Payers | undefined;
}

/** Calls that machines pay for without an account. */
export function paymentsPart(parts: PaymentParts): Payments {
  const { settings, log, stores, address } = parts;
  if (settings.mpp.offered === 'off') {
    const cashier = openPaymentsOnly(parts);
    cashier?.start();
    return { paidRoutes: [], abortAll() {}, close: async () => cashier?.close() };
  }
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
  const till = tillOf(parts, desk);
  const inference = new PaidInference({
    desk,
    models: parts.models,
    calls: till?.calls,
    log,
    problemBase: () => `${address.url}/problems`,
    addressOf: (req) => addressOf(req, settings.trustedProxies),
  });
  const cashier = till?.cashier ?? openPaymentsOnly(parts);
  cashier?.start();
  till?.answers.start();
  const untilDone = async (untilMs: number) => {
    while (inference.openCalls > 0 && performance.now() < untilMs) await sleep(20);
  };
  const isLive = till !== undefined;
  return {
    paidRoutes: [paidRoute],
    routes: [paidInferenceRoute(inference, anthropicMessages), ...paymentsRoutes({ realm, ledger, isLive })],
    gauges: [
      {
        name: 'weir_open_paid_calls',
        help: 'Calls to the paid route that have not ended',
        read: () => inference.openCalls,
      },
      {
        name: 'weir_open_payments',
        help: 'Payments that are being made',
        read: () => cashier?.open ?? 0,
      },
    ],
    features: ['machine-payments'],
    abortAll: () => inference.abortAll(),
    drain: untilDone,
    async close(untilMs) {
      // Their clients are gone, and what was taken from them may still have to be given back.
      inference.abortAll();
      await untilDone(untilMs);
      till?.answers.close();
      await cashier?.close();
      await desk.settled();
    },
  };
}

interface Till {
  readonly cashier: Cashier;
  readonly answers: AnswerBook;
  readonly calls: PaidCalls;
}

function tillOf(parts: PaymentParts, desk: ChallengeDesk): Till | undefined {
  const { settings, stores, log, roots, payers } = parts;
  if (payers === undefined) return undefined;
  const { settlements, paidAnswers } = stores.database;
  const cashier = cashierOf(parts, payers.processor);
  const answers = new AnswerBook({
    paidAnswers,
    settlements,
    seal: new Sealing(roots.derived('paid answers')),
    clock: systemClock,
    onFault: (err) => log.error({ err }, 'paid answers are not looked after'),
  });
  const calls = new PaidCalls({
    ...parts,
    ...payers,
    cashier,
    answers,
    vain: new VainCalls(systemClock),
    keepAliveMs: settings.keepAliveMs,
    countPayment: (remoteAddress) => desk.count(remoteAddress, 'tries to pay', limits.paymentsPerAddress),
  });
  return { cashier, answers, calls };
}

/** Where settlement was switched off, payments from before may be open still: they are given back. */
function openPaymentsOnly(parts: PaymentParts): Cashier | undefined {
  const { stripeKey: key, stripeBase: base } = parts.settings.mpp;
  return key === undefined ? undefined : cashierOf(parts, new StripeProcessor(lazyStripe({ key, base })));
}

function cashierOf({ stores, log }: PaymentParts, processor: Processor): Cashier {
  const { challenges, settlements } = stores.database;
  return new Cashier({
    challenges,
    settlements,
    processor,
    clock: systemClock,
    onFault: (err) => log.error({ err }, 'a payment that was left is not given back yet'),
  });
}
