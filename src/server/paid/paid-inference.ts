import { inOwnWords } from '../../calls/own-words.ts';
import type { PaidBody } from '../../calls/paid-body.ts';
import type { PaidModels } from '../../calls/paid-models.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import { OpenList } from '../../kernel/open-list.ts';
import { Presence } from '../../kernel/presence.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { AnswerBook } from '../../payments/answer-book.ts';
import type { ChallengeDesk } from '../../payments/challenge-desk.ts';
import { contentDigest } from '../../payments/content-digest.ts';
import type { Shown } from '../../payments/credential.ts';
import { challengeHeaders, type Problem, problemBody } from '../../payments/payment-required.ts';
import type { Log } from '../../telemetry/log.ts';
import { readContent } from '../body.ts';
import { refuse } from '../refuse.ts';
import { type Call, noSniffing, sendWhole } from '../respond.ts';
import type { PaidCalls, Serving } from './paid-calls.ts';
import { idempotencyKeyIn, invalidChallenge, paidBody, readPaid, shownIn } from './paid-request.ts';

export interface PaidInferenceParts {
  readonly desk: ChallengeDesk;
  readonly models: PaidModels;
  /** Undefined where no payment is settled. */
  readonly calls: PaidCalls | undefined;
  readonly log: Log;
  /** Where the pages about problems are. */
  problemBase(): string;
  addressOf(req: HttpRequest): string;
}

/** Calls that are paid for one by one: quoted, paid, and answered. */
export class PaidInference {
  readonly #parts: PaidInferenceParts;
  readonly #open = new OpenList<Presence>();

  constructor(parts: PaidInferenceParts) {
    this.#parts = parts;
  }

  /** Calls that have not ended yet, those included whose money is being given back. */
  get openCalls(): number {
    return this.#open.size;
  }

  abortAll(): void {
    for (const presence of this.#open.snapshot()) presence.leave();
  }

  async handle(req: HttpRequest, res: HttpResponse, call: Call, wire: WireFormat): Promise<void> {
    const { log, addressOf } = this.#parts;
    const presence = new Presence();
    this.#open.add(presence);
    let outlives = false;
    res.onGone(() => {
      if (!outlives) presence.leave();
    });
    try {
      const headers = req.headers;
      const { raw, decoded: bytes } = await readContent(req, { bytesMax: limits.paidBodyBytesMax });
      const shown = shownIn(headers);
      const key = idempotencyKeyIn(headers);
      const name =
        shown.kind === 'credential' && key !== undefined
          ? AnswerBook.nameOf(key, shown.credential)
          : undefined;
      const address = addressOf(req);
      const outlive = () => {
        outlives = true;
      };
      const digest = contentDigest(raw);
      const serving = { req, res, call, wire, presence, address, bytes, digest, name, outlive };
      const problem = await this.#answer(shown, serving);
      if (problem !== undefined) await this.#tell(problem, serving);
    } catch (thrown) {
      refuse(inOwnWords(thrown), { res, call, wire, log });
    } finally {
      this.#open.delete(presence);
    }
  }

  /** Undefined where the call was answered. */
  async #answer(shown: Shown, serving: Serving): Promise<Problem | undefined> {
    const { desk, calls } = this.#parts;
    const { digest, bytes } = serving;
    const isAnswered = async () =>
      shown.kind === 'credential' &&
      (await calls?.answeredAgain(shown.credential.challengeId, serving)) === true;
    if (await isAnswered()) return undefined;
    const note = calls === undefined ? gated : '';
    const readBody = () => this.#readBody(serving);
    const asked = await readPaid({ shown, digest, decoded: bytes, desk, readBody, note });
    if (asked.kind === 'payment')
      return calls === undefined
        ? { slug: 'verification-failed', detail: unsettled }
        : calls.sell(asked, serving);
    // Whoever asked at the same time may have used the challenge up in between.
    if (asked.problem === invalidChallenge && (await isAnswered())) return undefined;
    return asked.problem;
  }

  async #readBody({ req, bytes }: Serving): Promise<PaidBody> {
    const body = await paidBody.read({ headers: req.headers, readBody: async () => bytes });
    if (body.messages.every(({ role }) => role === 'system'))
      throw new GatewayError('invalid_request', 'messages: must have one of a user', { param: 'messages' });
    this.#parts.models.sold(body, bytes);
    return body;
  }

  async #tell(problem: Problem, { res, call, digest, address }: Serving): Promise<void> {
    const { desk, problemBase } = this.#parts;
    const quote = await desk.issue(digest, address);
    const own = [
      'content-type',
      'application/problem+json',
      ...noSniffing,
      'request-id',
      call.id,
      'x-should-retry',
      'false',
    ];
    const bytes = Buffer.from(JSON.stringify(problemBody(problem, quote, problemBase())));
    sendWhole(res, { status: 402, headers: [...own, ...challengeHeaders(quote)], bytes }, call);
  }
}

const gated = 'Settlement is off on this gateway for now: no payment is taken yet.';
const unsettled =
  'Settlement is off on this gateway: no payment can be verified, whatever the credential. Nothing was charged and no model was called; trying again does not help.';
