import { hideProviderError } from '../../calls/hide-provider-error.ts';
import { limits } from '../../calls/limits.ts';
import type { PaidBody } from '../../calls/paid-body.ts';
import type { PaidModels } from '../../calls/paid-models.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import { ClientPresence } from '../../kernel/client-presence.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { IntrusiveList } from '../../lib/intrusive-list.ts';
import type { ChallengeIssuer } from '../../payments/challenge-issuer.ts';
import { contentDigest } from '../../payments/content-digest.ts';
import { PaidAnswerStore } from '../../payments/paid-answer-store.ts';
import type { ParsedAuthorization } from '../../payments/payment-credential.ts';
import { challengeHeaders, type PaymentProblem, problemBody } from '../../payments/payment-required.ts';
import type { Log } from '../../telemetry/log.ts';
import { readBodyWithRaw } from '../body.ts';
import { rejectCall } from '../reject-call.ts';
import { noSniffHeaders, type RequestContext, reportRefusal, sendResponse } from '../respond.ts';
import type { PaidCallContext, PaidCalls } from './paid-calls.ts';
import {
  checkPaidRequest,
  idempotencyKeyIn,
  invalidChallenge,
  paidBody,
  readPresentedCredential,
} from './paid-request.ts';

export interface PaidInferenceParts {
  readonly challenges: ChallengeIssuer;
  readonly models: PaidModels;
  /** Undefined if settlement is off. */
  readonly calls: PaidCalls | undefined;
  readonly log: Log;
  /** The base URL of the problem pages. */
  problemBase(): string;
  addressOf(req: HttpRequest): string;
}

/** Handles calls that are paid individually: challenge, payment and answer. */
export class PaidInferenceHandler {
  readonly #parts: PaidInferenceParts;
  readonly #inFlight = new IntrusiveList<ClientPresence>();

  constructor(parts: PaidInferenceParts) {
    this.#parts = parts;
  }

  /** Open calls, including those with a pending refund. */
  get openCalls(): number {
    return this.#inFlight.size;
  }

  abortAll(): void {
    for (const clientPresence of this.#inFlight.snapshot()) clientPresence.leave();
  }

  async handle(
    req: HttpRequest,
    res: HttpResponse,
    context: RequestContext,
    wire: WireFormat,
  ): Promise<void> {
    const { log, addressOf } = this.#parts;
    const clientPresence = new ClientPresence();
    this.#inFlight.add(clientPresence);
    let outlives = false;
    res.onAbort(() => {
      if (!outlives) clientPresence.leave();
    });
    try {
      const headers = req.headers;
      const { raw, decoded: bytes } = await readBodyWithRaw(req, { bytesMax: limits.paidBodyBytesMax });
      const parsedAuthorization = readPresentedCredential(headers);
      const key = idempotencyKeyIn(headers);
      const answerName =
        parsedAuthorization.kind === 'credential' && key !== undefined
          ? PaidAnswerStore.nameOf(key, parsedAuthorization.credential)
          : undefined;
      const address = addressOf(req);
      const continueWithoutClient = () => {
        outlives = true;
      };
      const digest = contentDigest(raw);
      const paidCallContext: PaidCallContext = {
        req,
        res,
        context,
        wire,
        presence: clientPresence,
        address,
        bytes,
        digest,
        answerName,
        continueWithoutClient,
      };
      const paymentProblem = await this.#answer(parsedAuthorization, paidCallContext);
      if (paymentProblem !== undefined) await this.#sendPaymentRequired(paymentProblem, paidCallContext);
    } catch (thrown) {
      rejectCall(hideProviderError(thrown), { res, context, wire, log });
    } finally {
      this.#inFlight.delete(clientPresence);
    }
  }

  /** Undefined if the call was answered. */
  async #answer(
    presented: ParsedAuthorization,
    paidCallContext: PaidCallContext,
  ): Promise<PaymentProblem | undefined> {
    const { challenges, calls } = this.#parts;
    const { digest, bytes } = paidCallContext;
    const isAnswered = async () =>
      presented.kind === 'credential' &&
      (await calls?.answerFromStore(presented.credential.challengeId, paidCallContext)) === true;
    if (await isAnswered()) return undefined;
    const note = calls === undefined ? settlementOffNote : '';
    const readBody = () => this.#readBody(paidCallContext);
    const paidRequestOutcome = await checkPaidRequest({
      presented,
      digest,
      decoded: bytes,
      challenges,
      readBody,
      note,
    });
    if (paidRequestOutcome.kind === 'payment')
      return calls === undefined
        ? { slug: 'verification-failed', detail: settlementOffDetail }
        : calls.sell(paidRequestOutcome, paidCallContext);
    // A concurrent request may have used the challenge meanwhile.
    if (paidRequestOutcome.problem === invalidChallenge && (await isAnswered())) return undefined;
    return paidRequestOutcome.problem;
  }

  async #readBody({ req, bytes }: PaidCallContext): Promise<PaidBody> {
    const body = await paidBody.parse({ headers: req.headers, readBody: async () => bytes });
    if (body.messages.every(({ role }) => role === 'system'))
      throw new GatewayError('invalid_request', 'messages: must include a user message', {
        param: 'messages',
      });
    this.#parts.models.requireSold(body, bytes);
    return body;
  }

  async #sendPaymentRequired(
    paymentProblem: PaymentProblem,
    { req, res, context, digest, address }: PaidCallContext,
  ): Promise<void> {
    const code = paymentProblem.slug.replaceAll('-', '_');
    reportRefusal({ status: 402, code }, context, req.headers);
    const { challenges, problemBase } = this.#parts;
    const quote = await challenges.issue(digest, address);
    const own = [
      'content-type',
      'application/problem+json',
      ...noSniffHeaders,
      'request-id',
      context.id,
      'x-should-retry',
      'false',
    ];
    const bytes = Buffer.from(JSON.stringify(problemBody(paymentProblem, quote, problemBase())));
    sendResponse(res, { status: 402, headers: [...own, ...challengeHeaders(quote)], bytes }, context);
  }
}

const settlementOffNote = 'Settlement is off on this gateway: payments are not accepted yet.';
const settlementOffDetail =
  'Settlement is off on this gateway, so no payment can be verified. Nothing was charged and no model was called; a retry will not help.';
