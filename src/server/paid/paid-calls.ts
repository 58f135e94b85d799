import type { Admission } from '../../calls/admission.ts';
import type { CallReceipts } from '../../calls/call-receipts.ts';
import type { CallRunner } from '../../calls/call-runner.ts';
import { payerIdentity } from '../../calls/payment-admission.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import type { ClientPresence } from '../../kernel/client-presence.ts';
import { ClientRequest } from '../../kernel/client-request.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import { Trace } from '../../kernel/trace.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { HeaderList } from '../../lib/headers.ts';
import type { PaidAnswerLookup, PaidAnswerStore } from '../../payments/paid-answer-store.ts';
import type { Payment } from '../../payments/payment.ts';
import type { PaymentCollector } from '../../payments/payment-collector.ts';
import type { PaymentProblem } from '../../payments/payment-required.ts';
import type { PendingPaidAnswer } from '../../payments/pending-paid-answer.ts';
import type { UnpaidCallLimiter } from '../../payments/unpaid-call-limiter.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { deliver } from '../delivery/deliver.ts';
import type { PaymentCapture } from '../delivery/delivery.ts';
import { contentTypes } from '../delivery/response-headers.ts';
import { type RequestContext, sendResponse } from '../respond.ts';
import {
  checkClientConnected,
  checkFailureLimit,
  checkHasContent,
  idempotencyKeyInUseError,
  PaymentFailedError,
  withDetail,
  withNotChargedDetail,
} from './paid-checks.ts';
import { invalidChallenge, type PaidRequestOutcome } from './paid-request.ts';

export interface PaidCallsParts {
  readonly collector: PaymentCollector;
  readonly answers: PaidAnswerStore;
  readonly admission: Admission;
  readonly callRunner: CallRunner;
  readonly receipts: CallReceipts;
  readonly unpaidCalls: UnpaidCallLimiter;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly keepAliveMs: number;
  /** Rejects an address with too many payment attempts. */
  countPayment(address: string): Promise<void>;
}

/** A paid request that is being served. */
export interface PaidCallContext {
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly context: RequestContext;
  readonly wire: WireFormat;
  readonly presence: ClientPresence;
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** Names the stored answer, for retries with the same Idempotency-Key. */
  readonly answerName: string | undefined;
  /** From now on the call continues even if the client leaves. */
  continueWithoutClient(): void;
}

type PaymentSubmission = Extract<PaidRequestOutcome, { kind: 'payment' }>;

/** Serves paid calls: takes payment and calls the model, regenerates a lost answer, or replays a stored one. */
export class PaidCalls {
  readonly #parts: PaidCallsParts;

  constructor(parts: PaidCallsParts) {
    this.#parts = parts;
  }

  /** False if there is no earlier call with this key. */
  async answerFromStore(challengeId: string, paidCallContext: PaidCallContext): Promise<boolean> {
    const { answerName, digest } = paidCallContext;
    if (answerName === undefined) return false;
    const paidAnswerLookup = await this.#parts.answers.lookUp(answerName, digest);
    switch (paidAnswerLookup.outcome) {
      case 'new':
        return false;
      case 'other-body':
        throw new GatewayError(
          'idempotency_key_reused',
          'this Idempotency-Key was used with the same credential for another body; nothing was charged again',
          { shouldRetry: false, param: 'Idempotency-Key' },
        );
      case 'in-work':
        throw idempotencyKeyInUseError();
      case 'lost':
        throw new GatewayError('upstream_broken', 'the paid answer was lost', {
          shouldRetry: false,
          detail: 'the receipt identifies the payment; the operator of this gateway can refund it',
        });
      case 'whole':
        replayAnswer(paidAnswerLookup, paidCallContext);
        return true;
      case 'cut':
        await this.#regenerate(challengeId, paidAnswerLookup, paidCallContext);
        return true;
    }
  }

  /** Undefined if the call was answered. */
  async sell(
    { challenge, credential: paymentCredential }: PaymentSubmission,
    paidCallContext: PaidCallContext,
  ): Promise<PaymentProblem | undefined> {
    const { collector, answers, unpaidCalls, countPayment, log } = this.#parts;
    const { answerName, digest, context, address } = paidCallContext;
    await countPayment(address);
    checkFailureLimit(unpaidCalls.retryAfterSeconds(address));
    const work = answerName === undefined ? undefined : await answers.claim(answerName, digest);
    if (answerName !== undefined && work === undefined) throw idempotencyKeyInUseError();
    const dropped = () =>
      work
        ?.discard()
        .catch((err: unknown) =>
          log.error({ id: context.id, err }, 'could not release an idempotency claim'),
        );
    let payment: Payment | undefined;
    try {
      const paymentStartResult = await collector.begin(challenge, paymentCredential.token);
      if (paymentStartResult.outcome === 'held') {
        payment = paymentStartResult.payment;
        checkClientConnected(paidCallContext.presence);
        const deliveredAnswer = await this.#answer(
          challenge.id,
          this.#createCapture(payment, work, paidCallContext),
          paidCallContext,
        );
        await this.#storeAnswer(work, deliveredAnswer, paidCallContext);
        return undefined;
      }
      await dropped();
      if (paymentStartResult.outcome === 'consumed') return invalidChallenge;
      const detail = `The payment failed: ${paymentStartResult.why}. No model was called.`;
      return { slug: 'verification-failed', detail };
    } catch (thrown) {
      // An error after the response head changes nothing about the payment.
      if (payment?.isServed === true) {
        work?.abandon();
        throw thrown;
      }
      if (payment !== undefined) unpaidCalls.recordUnpaidCall(address);
      await payment
        ?.cancelOrRefund()
        .catch((err: unknown) => log.error({ id: context.id, err }, 'a refund failed; it will be retried'));
      await dropped();
      if (thrown instanceof PaymentFailedError)
        return { slug: 'verification-failed', detail: thrown.message };
      throw withNotChargedDetail(thrown);
    }
  }

  #createCapture(
    payment: Payment,
    work: PendingPaidAnswer | undefined,
    paidCallContext: PaidCallContext,
  ): PaymentCapture {
    const { presence: clientPresence, continueWithoutClient } = paidCallContext;
    return {
      continuesWithoutClient: work !== undefined,
      addResponseBytes: (bytes) => work?.append(bytes),
      async capture(whole) {
        checkHasContent(whole);
        checkClientConnected(clientPresence);
        const receipt = await payment.capture();
        if (receipt === undefined) throw new PaymentFailedError();
        checkClientConnected(clientPresence);
        await work?.recordPayment(payment.id, receipt);
        if (!(await payment.markServed())) throw new PaymentFailedError();
        if (work !== undefined) continueWithoutClient();
        return paymentHeaders(receipt);
      },
    };
  }

  /** Makes the call again without charge. */
  async #regenerate(
    challengeId: string,
    { receipt, work }: Extract<PaidAnswerLookup, { outcome: 'cut' }>,
    paidCallContext: PaidCallContext,
  ): Promise<void> {
    const paymentCapture: PaymentCapture = {
      continuesWithoutClient: true,
      addResponseBytes: (bytes) => work.append(bytes),
      async capture(whole) {
        checkHasContent(whole);
        return paymentHeaders(receipt);
      },
    };
    paidCallContext.continueWithoutClient();
    try {
      await this.#storeAnswer(
        work,
        await this.#answer(challengeId, paymentCapture, paidCallContext),
        paidCallContext,
      );
    } catch (thrown) {
      work.abandon();
      throw withDetail(thrown, 'it is already paid; retry the same request shortly, nothing will be charged');
    }
  }

  async #answer(
    challengeId: string,
    payment: PaymentCapture,
    paidCallContext: PaidCallContext,
  ): Promise<DeliveredAnswer> {
    const { admission, callRunner, receipts, metrics, keepAliveMs } = this.#parts;
    const { req, res, context, wire, presence: clientPresence, bytes } = paidCallContext;
    const { id, path } = context;
    const fields = LazyJsonObject.of(bytes);
    const clientRequest = new ClientRequest({ wire, fields, headers: req.headers, query: '', path });
    const trace = new Trace(performance.now());
    const admittedCall = await admission.admit(
      { id, clientRequest, presence: clientPresence, trace },
      payerIdentity(challengeId),
    );
    context.isCounted = true;
    const inFlightCall = await callRunner.run(
      admittedCall.exchange,
      admittedCall.pipeline,
      admittedCall.countedCall,
    );
    const receipt = receipts.open(admittedCall.countedCall.identity, inFlightCall, bytes);
    await deliver({ res, context, inFlightCall, metrics, keepAliveMs, receipt, payment });
    return {
      contentType: contentTypes[admittedCall.exchange.clientRequest.streamed ? 'sse' : 'json'],
      isComplete: inFlightCall.ending?.how === 'complete',
    };
  }

  /** An answer cut off by the gateway or a provider is not stored, so a retry makes it again, within a limit. */
  async #storeAnswer(
    work: PendingPaidAnswer | undefined,
    { contentType, isComplete }: DeliveredAnswer,
    { context, presence: clientPresence }: Pick<PaidCallContext, 'context' | 'presence'>,
  ): Promise<void> {
    if (work === undefined) return;
    if (clientPresence.hasLeft || (!isComplete && work.canRetry)) return work.abandon();
    await work
      .complete(contentType)
      .catch((err: unknown) =>
        this.#parts.log.error({ id: context.id, err }, 'could not store a paid answer'),
      );
  }
}

/** A delivered answer. */
interface DeliveredAnswer {
  /** The hash of its content. */
  readonly contentType: string;
  readonly isComplete: boolean;
}

function paymentHeaders(receipt: string): HeaderList {
  return ['payment-receipt', receipt, 'cache-control', 'private'];
}

function replayAnswer(
  { receipt, type, body }: Extract<PaidAnswerLookup, { outcome: 'whole' }>,
  { res, context }: Pick<PaidCallContext, 'res' | 'context'>,
): void {
  const headers = ['content-type', type, ...paymentHeaders(receipt), 'idempotent-replayed', 'true'];
  sendResponse(res, { status: 200, headers, bytes: body }, context);
}
