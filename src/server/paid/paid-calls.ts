import type { Admission } from '../../calls/admission.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import type { Passage } from '../../calls/passage.ts';
import { payerOf } from '../../calls/payer-turnstile.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { HeaderList } from '../../kernel/headers.ts';
import { Outline } from '../../kernel/outline.ts';
import type { Presence } from '../../kernel/presence.ts';
import { Received } from '../../kernel/received.ts';
import { Trace } from '../../kernel/trace.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { AnswerBook, Looked } from '../../payments/answer-book.ts';
import type { AnswerInWork } from '../../payments/answer-in-work.ts';
import type { Cashier } from '../../payments/cashier.ts';
import type { Payment } from '../../payments/payment.ts';
import type { Problem } from '../../payments/payment-required.ts';
import type { VainCalls } from '../../payments/vain-calls.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { contentTypes } from '../delivery/answer-headers.ts';
import { deliver } from '../delivery/deliver.ts';
import type { Sale } from '../delivery/delivery.ts';
import { type Call, sendWhole } from '../respond.ts';
import {
  checkPatience,
  checkPresence,
  checkWhole,
  inWork,
  NotPaid,
  unpaid,
  withDetail,
} from './paid-checks.ts';
import { type Asked, invalidChallenge } from './paid-request.ts';

export interface PaidCallsParts {
  readonly cashier: Cashier;
  readonly answers: AnswerBook;
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
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly call: Call;
  readonly wire: WireFormat;
  readonly presence: Presence;
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** By which the client may ask for the answer again. */
  readonly name: string | undefined;
  /** From now on the call goes on without its client. */
  outlive(): void;
}

type Paying = Extract<Asked, { kind: 'payment' }>;

/** How calls are sold: paid for and made, made again, or told again. */
export class PaidCalls {
  readonly #parts: PaidCallsParts;

  constructor(parts: PaidCallsParts) {
    this.#parts = parts;
  }

  /** False where nobody has asked for this before. */
  async answeredAgain(challengeId: string, serving: Serving): Promise<boolean> {
    const { name, digest } = serving;
    if (name === undefined) return false;
    const looked = await this.#parts.answers.look(name, digest);
    switch (looked.outcome) {
      case 'new':
        return false;
      case 'other-body':
        throw new GatewayError(
          'idempotency_key_reused',
          'this Idempotency-Key was used with the same credential for another body; nothing was charged again',
          { shouldRetry: false, param: 'Idempotency-Key' },
        );
      case 'in-work':
        throw inWork();
      case 'lost':
        throw new GatewayError('upstream_broken', 'the answer was paid for and is lost', {
          shouldRetry: false,
          detail: 'the receipt names the payment; the operator of this gateway can give it back',
        });
      case 'whole':
        replay(looked, serving);
        return true;
      case 'cut':
        await this.#makeAgain(challengeId, looked, serving);
        return true;
    }
  }

  /** Undefined where the call was answered. */
  async sell({ challenge, credential }: Paying, serving: Serving): Promise<Problem | undefined> {
    const { cashier, answers, vain, countPayment, log } = this.#parts;
    const { name, digest, call, address } = serving;
    await countPayment(address);
    checkPatience(vain.wait(address));
    const work = name === undefined ? undefined : await answers.claim(name, digest);
    if (name !== undefined && work === undefined) throw inWork();
    const dropped = () =>
      work?.drop().catch((err: unknown) => log.error({ id: call.id, err }, 'an answer stays in work'));
    let payment: Payment | undefined;
    try {
      const begun = await cashier.begin(challenge, credential.token);
      if (begun.outcome === 'held') {
        payment = begun.payment;
        checkPresence(serving.presence);
        const made = await this.#answer(challenge.id, this.#sale(payment, work, serving), serving);
        await this.#keep(work, made, serving);
        return undefined;
      }
      await dropped();
      if (begun.outcome === 'consumed') return invalidChallenge;
      const detail = `The payment could not be made: ${begun.why}. No model was called.`;
      return { slug: 'verification-failed', detail };
    } catch (thrown) {
      // What went wrong behind the head changes nothing about what was paid and sent.
      if (payment?.isServed === true) {
        work?.leave();
        throw thrown;
      }
      if (payment !== undefined) vain.add(address);
      await payment
        ?.giveBack()
        .catch((err: unknown) => log.error({ id: call.id, err }, 'a payment is given back later'));
      await dropped();
      if (thrown instanceof NotPaid) return { slug: 'verification-failed', detail: thrown.message };
      throw unpaid(thrown);
    }
  }

  #sale(payment: Payment, work: AnswerInWork | undefined, serving: Serving): Sale {
    const { presence, outlive } = serving;
    return {
      outlives: work !== undefined,
      wrote: (bytes) => work?.wrote(bytes),
      async take(whole) {
        checkWhole(whole);
        checkPresence(presence);
        const receipt = await payment.take();
        if (receipt === undefined) throw new NotPaid();
        checkPresence(presence);
        await work?.paid(payment.id, receipt);
        if (!(await payment.serve())) throw new NotPaid();
        if (work !== undefined) outlive();
        return paidHeaders(receipt);
      },
    };
  }

  /** For nothing: it was paid for. */
  async #makeAgain(
    challengeId: string,
    { receipt, work }: Extract<Looked, { outcome: 'cut' }>,
    serving: Serving,
  ): Promise<void> {
    const sale: Sale = {
      outlives: true,
      wrote: (bytes) => work.wrote(bytes),
      async take(whole) {
        checkWhole(whole);
        return paidHeaders(receipt);
      },
    };
    serving.outlive();
    try {
      await this.#keep(work, await this.#answer(challengeId, sale, serving), serving);
    } catch (thrown) {
      work.leave();
      throw withDetail(thrown, 'it was paid for before; send the same again in a moment, nothing is charged');
    }
  }

  async #answer(challengeId: string, sale: Sale, serving: Serving): Promise<Made> {
    const { admission, passage, receipts, metrics, keepAliveMs } = this.#parts;
    const { req, res, call, wire, presence, bytes } = serving;
    const { id, path } = call;
    const fields = Outline.of(bytes);
    const received = new Received({ wire, fields, headers: req.headers, query: '', path });
    const trace = new Trace(performance.now());
    const admitted = await admission.admit({ id, received, presence, trace }, payerOf(challengeId));
    const underway = await passage.run(admitted.exchange, admitted.pipeline, admitted.counted);
    const receipt = receipts.open(admitted.counted.known, underway, bytes);
    await deliver({ res, call, underway, metrics, keepAliveMs, receipt, sale });
    return {
      type: contentTypes[admitted.exchange.received.streamed ? 'sse' : 'json'],
      isWhole: underway.ending?.how === 'complete',
    };
  }

  /** One that this gateway or a provider cut off is left, so that it is made again; but not for ever. */
  async #keep(
    work: AnswerInWork | undefined,
    { type, isWhole }: Made,
    { call, presence }: Pick<Serving, 'call' | 'presence'>,
  ): Promise<void> {
    if (work === undefined) return;
    if (presence.gone || (!isWhole && work.mayBeMadeAgain)) return work.leave();
    await work
      .keep(type)
      .catch((err: unknown) => this.#parts.log.error({ id: call.id, err }, 'a paid answer is not kept'));
  }
}

/** What an answer turned out to be. */
interface Made {
  /** Of its content. */
  readonly type: string;
  readonly isWhole: boolean;
}

function paidHeaders(receipt: string): HeaderList {
  return ['payment-receipt', receipt, 'cache-control', 'private'];
}

function replay(
  { receipt, type, body }: Extract<Looked, { outcome: 'whole' }>,
  { res, call }: Pick<Serving, 'res' | 'call'>,
): void {
  const headers = ['content-type', type, ...paidHeaders(receipt), 'idempotent-replayed', 'true'];
  sendWhole(res, { status: 200, headers, bytes: body }, call);
}
