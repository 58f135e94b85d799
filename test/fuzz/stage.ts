import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, startGateway } from '../../src/gateway/gateway.ts';
import { readSettings } from '../../src/gateway/settings.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { openCall, type RawAnswer, readAnswer } from '../support/call.ts';
import { bearer, Person } from '../support/cloud.ts';
import type { Case } from './cases.ts';
import { RawProvider } from './raw-provider.ts';

/** A slow disk and a slow database are those of a busy machine; the provider here may answer in another format than the request's. */
const expected = [
  'a journal write took',
  'the database did not answer in time',
  "the provider's response contains no message",
];

/** What came of a case. */
export interface Outcome {
  /** Undefined where there was none: the client left, or the answer broke off after it had begun. */
  readonly answered: RawAnswer | undefined;
  readonly requestId: string;
  /** Whether the provider was asked. */
  readonly wasAsked: boolean;
}

/** A gateway with accounts between clients and a provider that are not to be trusted. */
export class Stage {
  readonly gateway: Gateway;
  readonly provider: RawProvider;
  /** Lines of the log that say more than that there was a call. */
  readonly complaints: string[] = [];
  /** The ids of calls that are in the log. */
  readonly logged = new Set<string>();
  readonly #keys: readonly string[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #folder: string;
  #calls = 0;

  static async start(people = 4): Promise<Stage> {
    const provider = await RawProvider.start();
    const folder = mkdtempSync(join(tmpdir(), 'weir-fuzz-'));
    const lines: { write(line: string): void } = { write: () => undefined };
    const settings = readSettings({
      PORT: '0',
      WEIR_DATA_DIR: folder,
      WEIR_MODE: 'cloud',
      WEIR_TIER_FREE_LIMIT: '100000000',
      WEIR_ANTHROPIC_BASE_URL: provider.url,
      WEIR_OPENAI_BASE_URL: provider.url,
      WEIR_GEMINI_BASE_URL: provider.url,
      WEIR_BEDROCK_BASE_URL: provider.url,
      WEIR_BEDROCK_REGIONS: 'eu-central-1',
      WEIR_DEEPSEEK_BASE_URL: provider.url,
      WEIR_OPENROUTER_BASE_URL: provider.url,
      WEIR_COHERE_BASE_URL: provider.url,
      WEIR_VOYAGE_BASE_URL: provider.url,
      WEIR_MISTRAL_BASE_URL: provider.url,
    });
    const gateway = await startGateway(settings, createLog('info', { write: (line) => lines.write(line) }));
    // A call that fails is not counted, but an account may not have many of them.
    const keys: string[] = [];
    for (let made = 0; made < people; made++) {
      const person = await Person.signUp(gateway.url, `fuzz${made}@example.com`);
      keys.push((await person.makeKey({ pipelineConfig: 'cost-guard?day=1000000&month=1000000' })).key);
    }
    const stage = new Stage({ gateway, provider, keys, folder });
    lines.write = (line) => stage.#read(line);
    return stage;
  }

  private constructor(parts: { gateway: Gateway; provider: RawProvider; keys: string[]; folder: string }) {
    this.gateway = parts.gateway;
    this.provider = parts.provider;
    this.#keys = parts.keys;
    this.#folder = parts.folder;
  }

  /** Makes the call and reads its answer. */
  async play({ number, path, headers, body, answer, leaves }: Case): Promise<Outcome> {
    const name = `key-of-case-${number}`;
    this.provider.answers.set(name, answer);
    const key = this.#keys[this.#calls++ % this.#keys.length] ?? '';
    const { request, response } = openCall(this.gateway.url, {
      path,
      headers: [...bearer(key), 'x-provider-key', name, ...headers],
      ...(body !== undefined && { body }),
      agent: this.#agent,
    });
    const begun = await response;
    const requestId = String(begun.headers['x-request-id']);
    if (leaves) request.destroy();
    const answered = await readAnswer(begun).catch(() => undefined);
    this.provider.answers.delete(name);
    return { answered, requestId, wasAsked: this.provider.asked.delete(name) };
  }

  /** A figure of `/metrics`, summed up over its labels. */
  figure(name: string): number {
    const found = this.gateway.metrics().matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
    return [...found].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.gateway.close(0);
    await this.provider.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #read(line: string): void {
    const { msg, id } = JSON.parse(line);
    if (msg === 'call') this.logged.add(id);
    else if (line.includes('"level":"error"') && !expected.some((words) => line.includes(words)))
      this.complaints.push(line);
  }
}
