import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChatRequest, ReplyEvent, Usage } from '../../../src/kernel/message.ts';
import type { Handler, Module, ModuleFactory } from '../../../src/kernel/module.ts';
import type { Prices } from '../../../src/kernel/ports/prices.ts';
import { Reply } from '../../../src/kernel/reply/reply.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { ipc } from '../../../src/modules/ipc/ipc.ts';
import { anthropic } from '../../../src/providers/anthropic.ts';
import { compileCard, type PriceSheet } from '../../../src/providers/catalog/price-sheet.ts';
import { openai } from '../../../src/providers/openai.ts';
import { type ModuleRun, runModule } from '../../../src/testing/run-module.ts';
import { wireByName } from '../../../src/wire/index.ts';

/** Tokens of a request by how they are billed, as the scorer of the data tells them. */
interface BilledCall {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly writeHour: number;
}

interface ProviderCache {
  send(request: unknown, atSeconds: number): BilledCall;
}

/** The scorer's simulation of what providers keep. */
export interface Scorer {
  readonly AnthropicCache: new (options: object) => ProviderCache;
  readonly OpenAiCache: new (options: object) => ProviderCache;
}

export async function scorerIn(folder: string): Promise<Scorer> {
  return import(pathToFileURL(resolve(join(folder, 'cache-cost.mjs'))).href);
}

/** A provider with its prices and its cache, in a time that is told. */
export interface Provider {
  readonly name: 'anthropic' | 'openai';
  readonly sheet: PriceSheet;
  readonly contextTokens: number;
  readonly cacheSeconds: number;
  readonly bytesPerToken: number;
}

export const providers: readonly Provider[] = [
  {
    name: 'anthropic',
    sheet: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 },
    contextTokens: 200_000,
    cacheSeconds: 300,
    bytesPerToken: 3.25,
  },
  {
    name: 'openai',
    sheet: { input: 1.25, output: 10, cacheRead: 0.125 },
    contextTokens: 200_000,
    cacheSeconds: 600,
    bytesPerToken: 4,
  },
];

/** How the gateway reaches them. */
const gateways = {
  anthropic: { provider: anthropic },
  openai: { provider: openai, wire: 'openai-chat' },
};

/** A conversation that is sent through the module, or past it. */
export class SimulatedRun {
  dollars = 0;
  /** What was sent last. */
  latest: ChatRequest | undefined;
  /** What the module said of it. */
  facts: Readonly<Record<string, unknown>> = {};
  /** Milliseconds of this process in the module's calls, one each. */
  readonly cpuMs: number[] = [];
  steps = 0;
  readonly #provider: Provider;
  readonly #cache: ProviderCache;
  readonly #run: ReturnType<typeof runModule> | undefined;
  #atSeconds = 0;

  /** Without options, the run goes past the module. */
  constructor(
    scorer: Scorer,
    provider: Provider,
    options: string | undefined,
    module: Module | ModuleFactory = ipc,
  ) {
    const { name, sheet, contextTokens, cacheSeconds, bytesPerToken } = provider;
    this.#provider = provider;
    const settings = { bytesPerToken, ttl: cacheSeconds };
    this.#cache =
      name === 'anthropic' ? new scorer.AnthropicCache(settings) : new scorer.OpenAiCache(settings);
    if (options === undefined) return;
    const clock: Clock = { now: () => this.#atSeconds * 1000 };
    const card = compileCard(sheet);
    const prices: Prices = {
      priceOf: () => ({ card, estimated: false, contextTokens, cacheSeconds, hasHourCache: true }),
      bill: () => ({ nanoUsd: 0, estimated: false }),
    };
    const upstream: Handler = async ({ request }) => this.#answered(request);
    this.#run = runModule(
      module,
      {
        options: `holdout=0&${options}`,
        upstream,
        headers: ['x-weir-conversation', 'eval'],
        ...gateways[name],
      },
      { clock, prices },
    );
  }

  async call(request: ChatRequest, atSeconds: number): Promise<ModuleRun | undefined> {
    this.#atSeconds = atSeconds;
    if (this.#run === undefined) {
      this.#billed(request);
      return undefined;
    }
    const before = process.cpuUsage();
    const run = await this.#run(request);
    const { user, system } = process.cpuUsage(before);
    this.cpuMs.push((user + system) / 1000);
    if (run.error !== undefined) throw run.error;
    this.facts = run.step?.attributes ?? {};
    if (this.facts.step === 'pays' || this.facts.step === 'window') this.steps++;
    return run;
  }

  #billed(request: ChatRequest): BilledCall {
    this.latest = request;
    const billed = this.#cache.send(this.#inItsFormat(request), this.#atSeconds);
    const {
      input,
      cacheRead = input,
      cacheWrite = input,
      cacheWriteHour = cacheWrite,
    } = this.#provider.sheet;
    this.dollars +=
      (billed.input * input +
        billed.read * cacheRead +
        billed.write * cacheWrite +
        billed.writeHour * cacheWriteHour) /
      1e6;
    return billed;
  }

  #inItsFormat(request: ChatRequest): unknown {
    if (this.#provider.name === 'anthropic') return request;
    const { body } = wireByName('openai-chat')?.encodeRequest(request) ?? {};
    return JSON.parse(Buffer.from(body ?? '{}').toString('utf8'));
  }

  #answered(request: ChatRequest): Reply {
    const { input, read, write, writeHour } = this.#billed(request);
    const isWriting = this.#provider.name === 'anthropic';
    const usage: Usage = {
      input_tokens: Math.round(isWriting ? input : input + write),
      cache_read_input_tokens: Math.round(read),
      cache_creation_input_tokens: Math.round(isWriting ? write + writeHour : 0),
      cache_creation: { ephemeral_1h_input_tokens: Math.round(writeHour) },
      output_tokens: 10,
    };
    return answeredWith(usage);
  }
}

/** An answer of a few words. */
export async function answered(): Promise<Reply> {
  return answeredWith({ input_tokens: 10, output_tokens: 1 });
}

export function answeredWith(usage: Usage): Reply {
  return Reply.stream(eventsOf(usage));
}

async function* eventsOf(usage: Usage): AsyncGenerator<ReplyEvent> {
  yield {
    type: 'message_start',
    message: {
      id: 'msg',
      type: 'message',
      role: 'assistant',
      model: 'model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  };
  yield { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}
