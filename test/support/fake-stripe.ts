import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { FakeBilling } from './stripe/fake-billing.ts';

/** What goes wrong with the next request to a path. */
export interface Fault {
  /** `METHOD /path`, of which this is a part. */
  readonly at: string;
  /**
   * `lost`: done, and the answer never comes. `stuck`: done, and answered when the test says `goOn`. `late`: not done before
   * that. `broken`: a 500, and nothing done. `busy`: a 429. `declined`: a card's refusal. `small`: what a card charge of
   * cents gets. `asked`: a person would have to confirm it. `unauthorized`: our own key is refused.
   */
  readonly how:
    | 'lost'
    | 'stuck'
    | 'late'
    | 'broken'
    | 'busy'
    | 'declined'
    | 'small'
    | 'asked'
    | 'unauthorized';
}

export interface FakeIntent {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly token: string;
  readonly created: number;
  readonly metadata: Record<string, string>;
  status: string;
  refunded: boolean;
}

/** A payment processor: intents with manual capture, shared payment tokens, idempotency keys, and faults on demand. */
export class FakeStripe {
  /** Subscriptions and credits. */
  readonly billing = new FakeBilling();
  readonly intents: FakeIntent[] = [];
  readonly requests: string[] = [];
  readonly faults: Fault[] = [];
  /** What goes wrong with the how manieth request. */
  readonly faultsAt = new Map<number, Fault['how']>();
  /** Tokens that were granted, and not yet used. */
  readonly tokens = new Set<string>();
  /** Lets everything go on that is stuck. */
  goOn: () => void = () => undefined;
  readonly #going = new Promise<void>((resolve) => {
    this.goOn = resolve;
  });
  readonly #kept = new Map<
    string,
    { readonly params: string; readonly status: number; readonly body: string }
  >();
  // It ends no connection for being idle: on a busy machine it may just be in use.
  readonly #server = createServer({ keepAliveTimeout: 0 }, (req, res) => void this.#serve(req, res));

  static async start(t: TestContext): Promise<FakeStripe> {
    const fake = new FakeStripe();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      fake.#server.closeAllConnections();
      fake.#server.close();
    });
    return fake;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  grant(): string {
    const token = `spt_${this.tokens.size}_${Math.random().toString(36).slice(2)}`;
    this.tokens.add(token);
    return token;
  }

  count(part: string): number {
    return this.requests.filter((request) => request.includes(part)).length;
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const params = Buffer.concat(chunks).toString();
    const { method = 'GET', url = '/' } = req;
    const name = `${method} ${url}`;
    this.requests.push(name);
    const found = this.faults.findIndex(({ at }) => name.includes(at));
    const [named] = found < 0 ? [] : this.faults.splice(found, 1);
    const how = this.faultsAt.get(this.requests.length) ?? named?.how;
    const fault: Fault | undefined = how && { at: name, how };
    if (fault?.how === 'unauthorized')
      return send(res, 401, { error: { type: 'invalid_request_error', message: 'no such key' } });
    if (fault?.how === 'broken') return send(res, 500, { error: { type: 'api_error', message: 'broken' } });
    if (fault?.how === 'busy') return send(res, 429, refusal('rate_limit'));
    if (fault?.how === 'late') await this.#going;
    const key = req.headers['idempotency-key']?.toString();
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (kept !== undefined && kept.params !== params)
      return send(res, 400, { error: { type: 'idempotency_error', message: 'another request' } });
    const { status, body } = kept ?? (await this.#answer(method, url, new URLSearchParams(params), fault));
    if (key !== undefined) this.#kept.set(key, { params, status, body });
    if (fault?.how === 'lost') return void res.destroy();
    if (fault?.how === 'stuck') await this.#going;
    res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  async #answer(method: string, url: string, params: URLSearchParams, fault: Fault | undefined) {
    const { pathname, searchParams } = new URL(url, 'http://stripe');
    const [, , kind, id, action] = pathname.split('/');
    if (fault?.how === 'declined') return answer(402, refusal('card_declined'));
    if (fault?.how === 'small') return answer(400, refusal('amount_too_small'));
    if (pathname === '/v1/test_helpers/shared_payment/granted_tokens')
      return answer(200, { id: this.grant(), object: 'shared_payment.granted_token' });
    const path = pathname.split('/').slice(2);
    const billed = this.billing.answer({ method, path, params, query: searchParams });
    if (billed !== undefined) return billed;
    if (kind === 'refunds') {
      const intent = this.#find(params.get('payment_intent') ?? '');
      if (intent?.refunded === true) return answer(400, refusal('charge_already_refunded'));
      if (intent?.status !== 'succeeded') return answer(400, refusal('charge_not_found'));
      intent.refunded = true;
      return answer(200, { id: 're_1', status: 'succeeded' });
    }
    if (kind !== 'payment_intents') return answer(404, refusal('resource_missing'));
    if (id === undefined) return method === 'POST' ? this.#create(params, fault) : this.#list(searchParams);
    const intent = this.#find(id);
    if (intent === undefined) return answer(404, refusal('resource_missing'));
    if (method === 'GET') return answer(200, shown(intent));
    const isOpen = intent.status === 'requires_capture';
    if (!isOpen && !(intent.status === 'requires_action' && action === 'cancel'))
      return answer(400, refusal('payment_intent_unexpected_state'));
    intent.status = action === 'capture' ? 'succeeded' : 'canceled';
    return answer(200, shown(intent));
  }

  #create(params: URLSearchParams, fault: Fault | undefined) {
    const token = params.get('payment_method_data[shared_payment_granted_token]') ?? '';
    if (!this.tokens.delete(token)) return answer(400, refusal('resource_missing'));
    const isManual = params.get('capture_method') === 'manual' && params.get('confirm') === 'true';
    const intent: FakeIntent = {
      id: `pi_${this.intents.length + 1}`,
      amount: Number(params.get('amount')),
      currency: params.get('currency') ?? '',
      token,
      created: Math.floor(Date.now() / 1000),
      metadata: { weir_settlement: params.get('metadata[weir_settlement]') ?? '' },
      status: fault?.how === 'asked' ? 'requires_action' : isManual ? 'requires_capture' : 'succeeded',
      refunded: false,
    };
    this.intents.push(intent);
    return answer(200, shown(intent));
  }

  #list(query: URLSearchParams) {
    const [from, to] = [Number(query.get('created[gte]')), Number(query.get('created[lte]'))];
    const data = this.intents.filter(({ created }) => created >= from && created <= to).map(shown);
    return answer(200, { object: 'list', data, has_more: false });
  }

  #find(id: string): FakeIntent | undefined {
    return this.intents.find((intent) => intent.id === id);
  }
}

function shown({ id, amount, currency, created, metadata, status }: FakeIntent): object {
  return { object: 'payment_intent', id, amount, currency, created, metadata, status };
}

function refusal(code: string): object {
  return {
    error: { type: code === 'card_declined' ? 'card_error' : 'invalid_request_error', code, message: code },
  };
}

function answer(status: number, body: object) {
  return { status, body: JSON.stringify(body) };
}

function send(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
