import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from '../../calls/admission.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import type { PaidModels } from '../../calls/paid-models.ts';
import type { Passage } from '../../calls/passage.ts';
import { payerOf } from '../../calls/payer-turnstile.ts';
import { Received } from '../../kernel/exchange.ts';
import { Outline } from '../../kernel/outline.ts';
import type { Presence } from '../../kernel/presence.ts';
import { Trace } from '../../kernel/trace.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { Cashier } from '../../payments/cashier.ts';
import type { Payment } from '../../payments/payment.ts';
import type { Problem } from '../../payments/payment-required.ts';
import type { VainCalls } from '../../payments/vain-calls.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { deliver, type Sale } from '../deliver.ts';
import type { Call } from '../respond.ts';
import { checkPatience, checkPresence, checkWhole, NotPaid, unpaid } from './paid-checks.ts';
import { type Asked, invalidChallenge } from './paid-request.ts';

export interface PaidCallsParts {
  readonly cashier: Cashier;
  readonly models: PaidModels;
  readonly admission: Admission;
  readonly passage: Passage;
  readonly receipts: CallReceipts;
  readonly vain: VainCalls;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly keepAliveMs: number;
  /** Refuses an address that tries to pay more often than anybody can. */
  countPayment(address: string): Promise<void>;
}

/** A request on its way to an answer. */
export interface Serving {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly call: Call;
  readonly wire: WireFormat;
  readonly presence: Presence;
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

type Paying = Extract<Asked, { kind: 'payment' }>;

/** How calls are sold: paid for, and made. */
export class PaidCalls {
  readonly #parts: PaidCallsParts;

  constructor(parts: PaidCallsParts) {
    this.#parts = parts;
  }

  get models(): PaidModels {
    return this.#parts.models;
  }

  /** Undefined where the call was answered. */
  async sell({ challenge, credential }: Paying, serving: Serving): Promise<Problem | undefined> {
    const { cashier, vain, countPayment, log } = this.#parts;
    const { call, address } = serving;
    await countPayment(address);
    checkPatience(vain.wait(address));
    let payment: Payment | undefined;
    try {
      const begun = await cashier.begin(challenge, credential.token);
      if (begun.outcome === 'held') {
        payment = begun.payment;
        checkPresence(serving.presence);
        await this.#answer(challenge.id, saleOf(payment, serving), serving);
        return undefined;
      }
      if (begun.outcome === 'consumed') return invalidChallenge;
      const detail = `The payment could not be made: ${begun.why}. No model was called.`;
      return { slug: 'verification-failed', detail };
    } catch (thrown) {
      // What went wrong behind the head changes nothing about what was paid and sent.
      if (payment?.isServed === true) throw thrown;
      if (payment !== undefined) vain.add(address);
      await payment
        ?.giveBack()
        .catch((err: unknown) => log.error({ id: call.id, err }, 'a payment is given back later'));
      if (thrown instanceof NotPaid) return { slug: 'verification-failed', detail: thrown.message };
      throw unpaid(thrown);
    }
  }

  async #answer(challengeId: string, sale: Sale, serving: Serving): Promise<void> {
    const { admission, passage, receipts, metrics, keepAliveMs } = this.#parts;
    const { req, res, call, wire, presence, bytes } = serving;
    const { id, path } = call;
    const fields = Outline.of(bytes);
    const received = new Received({ wire, fields, headers: req.rawHeaders, query: '', path });
    const trace = new Trace(performance.now());
    const admitted = await admission.admit({ id, received, presence, trace }, payerOf(challengeId));
    const underway = await passage.run(admitted.exchange, admitted.pipeline, admitted.counted);
    const receipt = receipts.open(admitted.counted.known, underway, bytes);
    await deliver({ res, call, underway, metrics, keepAliveMs, receipt, sale });
  }
}

function saleOf(payment: Payment, { presence }: Pick<Serving, 'presence'>): Sale {
  return {
    async take(whole) {
      checkWhole(whole);
      checkPresence(presence);
      const receipt = await payment.take();
      if (receipt === undefined) throw new NotPaid();
      checkPresence(presence);
      if (!(await payment.serve())) throw new NotPaid();
      return ['payment-receipt', receipt, 'cache-control', 'private'];
    },
  };
}
