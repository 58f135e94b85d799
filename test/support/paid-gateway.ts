import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/kernel/ports/records.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { FakeUpstream } from '../../src/testing/fake-upstream.ts';
import { startTestGateway, type TestGateway } from '../../src/testing/test-gateway.ts';
import { type OpenCall, openCall, type RawAnswer } from './call.ts';
import { cleanUp } from './clean-up.ts';
import { FakeStripe } from './fake-stripe.ts';
import { callPaidRoute, challengeOf, paidQuestion, paymentHeaders } from './paid-calls.ts';
import { answeredText } from './sandbox.ts';
import { emptyFolder } from './weir-process.ts';

/** A gateway that settles payments, with all that it talks to. */
export interface PaidGateway {
  readonly weir: TestGateway;
  readonly url: string;
  readonly fake: FakeUpstream;
  readonly stripe: FakeStripe;
  /** What the gateway has stored, and where. */
  readonly database: Database;
  readonly folder: string;
}

export interface PaymentServices {
  readonly fake: FakeUpstream;
  readonly stripe: FakeStripe;
}

export async function startPaymentServices(t: TestContext): Promise<PaymentServices> {
  const fake = await FakeUpstream.start({ body: answeredText });
  cleanUp(t, () => fake.close());
  return { fake, stripe: await FakeStripe.start(t) };
}

export function settlementSettings({ fake, stripe }: PaymentServices): Record<string, string> {
  return {
    WEIR_ANTHROPIC_BASE_URL: fake.url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-the-operators-own',
    WEIR_MPP_SETTLEMENT: 'stripe',
    WEIR_MPP_RECIPIENT: 'acct_1',
    WEIR_MPP_NETWORK_ID: 'profile_1',
    STRIPE_SECRET_KEY: 'sk_test_123',
    STRIPE_API_BASE: stripe.url,
  };
}

export async function startPaidGateway(
  t: TestContext,
  more: Record<string, string> = {},
): Promise<PaidGateway> {
  const outside = await startPaymentServices(t);
  const folder = emptyFolder(t);
  const weir = await startTestGateway({ WEIR_DATA_DIR: folder, ...settlementSettings(outside), ...more });
  cleanUp(t, () => weir.close());
  return { ...outside, weir, url: weir.url, folder, database: await openDatabaseIn(t, folder) };
}

export async function openDatabaseIn(t: TestContext, folder: string): Promise<Database> {
  const database = await openSqlite({ file: join(folder, 'weir.db') });
  cleanUp(t, () => database.close());
  return database;
}

export interface PaidCall {
  readonly id: string;
  readonly token: string;
  readonly answered: RawAnswer;
}

type Payable = Pick<PaidGateway, 'url' | 'stripe'>;

/** A challenge, and the headers that pay for it. */
export async function requestChallenge(
  { url, stripe }: Payable,
  body: object = paidQuestion,
): Promise<{ readonly id: string; readonly token: string; readonly headers: readonly string[] }> {
  const { id = '' } = challengeOf(await callPaidRoute(url, { body }));
  const token = stripe.grant();
  return { id, token, headers: paymentHeaders(id, token) };
}

export async function pay(house: Payable, body: object = paidQuestion): Promise<PaidCall> {
  const { headers, ...paid } = await requestChallenge(house, body);
  return { ...paid, answered: await callPaidRoute(house.url, { body, headers }) };
}

/** A paid call that is not waited for. */
export function startPaidCall(
  url: string,
  headers: readonly string[],
  body: object = paidQuestion,
): OpenCall {
  const opened = openCall(url, { method: 'POST', path: '/v1/agent/messages', body, headers });
  opened.response.catch(() => undefined);
  opened.request.on('error', () => undefined);
  return opened;
}

/** What became of each payment, in turn. */
export function settlementStatuses({ stripe }: Pick<PaidGateway, 'stripe'>): readonly string[] {
  return stripe.intents.map(({ status, refunded }) => (refunded ? 'refunded' : status));
}

/** As if nobody had worked on any payment for long. */
export async function dropAllConnections({ settlements }: Database): Promise<void> {
  const nowMs = Date.now();
  await settlements.takeOver({
    holder: 'nobody',
    nowMs: nowMs + 3_600_000,
    untilMs: nowMs - 1000,
    most: 100,
  });
}
