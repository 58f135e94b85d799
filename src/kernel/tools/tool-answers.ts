import { randomUUID } from 'node:crypto';
import { canonicalJson, isJsonObject } from '../../lib/json.ts';
import { scopeOf } from '../caller.ts';
import { digestOfText } from '../conversation/digest.ts';
import { endUserRefOf } from '../end-user.ts';
import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import type { ScopedCache } from '../ports/scoped-cache.ts';
import type { GatewayTool, ToolAnswer, ToolCachePlan, ToolsByName } from './gateway-tool.ts';

/** An answer that the model gets, unlike a call that is handed over to the client. */
type CacheableAnswer = Exclude<ToolAnswer, { readonly handOver: unknown }>;

export interface ToolAnswersParts {
  /** The module's cache for the account. */
  readonly cache: ScopedCache;
  /** Answers in progress, of all calls of this process. */
  readonly inFlight: Map<string, Promise<ToolAnswer>>;
  /** What separates `inFlight` by module and account. */
  readonly name: string;
  /** The longest time that answers are cached; 0 for not at all. */
  readonly secondsMax: number;
}

interface CalledTool {
  readonly tool: GatewayTool;
  readonly input: unknown;
  readonly exchange: Exchange;
}

/** The cached answers of a module's tools, each by its plan. Failures of the cache make a tool answer anew. */
export class ToolAnswers {
  readonly #parts: ToolAnswersParts;

  constructor(parts: ToolAnswersParts) {
    this.#parts = parts;
  }

  /** The cached answer, or else that of `answer`, which several calls at a time share. */
  async find(called: CalledTool, answer: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const plan = called.tool.cache;
    const seconds = Math.min(plan?.seconds ?? 0, this.#parts.secondsMax);
    if (plan === undefined || seconds < 1) return answer();
    const key = await this.#keyOf(called, plan).catch(() => undefined);
    if (key === undefined) return answer();
    const cached = await this.#parts.cache.get(key).catch(() => undefined);
    if (cached !== undefined) return JSON.parse(Buffer.from(cached).toString('utf8'));
    return this.#share(key, () => this.#answerAndStore(key, seconds, answer));
  }

  /** Makes the answers invalid that a call of this tool changes, whether it succeeded or not. */
  async invalidate(name: string, tools: ToolsByName): Promise<void> {
    if (this.#parts.secondsMax === 0) return;
    for (const { tool, cache } of tools.values())
      if (cache?.invalidatedBy?.includes(name) === true) await this.#renewVersion(tool.name);
  }

  async #answerAndStore(
    key: string,
    seconds: number,
    answer: () => Promise<ToolAnswer>,
  ): Promise<ToolAnswer> {
    const answered = await answer();
    if (!isCacheable(answered)) return answered;
    const bytes = Buffer.from(JSON.stringify(answered));
    if (bytes.byteLength <= limits.toolAnswerBytesMax)
      await this.#parts.cache.put(key, bytes, seconds).catch(() => undefined);
    return answered;
  }

  /** Runs this once for all calls at the same time; a call that waited for a failure runs it again. */
  #share(key: string, run: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const { inFlight, name } = this.#parts;
    const flight = `${name}\n${key}`;
    const other = inFlight.get(flight);
    if (other !== undefined) return other.catch(run);
    const running = run().finally(() => inFlight.delete(flight));
    inFlight.set(flight, running);
    return running;
  }

  /** The key has a version that is read before the answer: an answer from before a change is stored under a key that nobody reads. */
  async #keyOf({ tool, input, exchange }: CalledTool, { scope, subject }: ToolCachePlan): Promise<string> {
    const { name } = tool.tool;
    const stored = await this.#parts.cache.get(versionKey(name));
    const version =
      stored === undefined
        ? await this.#share(versionKey(name), () => this.#renewVersion(name))
        : Buffer.from(stored).toString();
    return `answer:${digestOfText(canonicalJson([name, input, version, subjectOf(exchange, scope), ...(subject === undefined ? [] : [subject])]))}`;
  }

  async #renewVersion(name: string): Promise<string> {
    const version = randomUUID();
    await this.#parts.cache.put(versionKey(name), Buffer.from(version), limits.toolVersionSeconds);
    return version;
  }
}

function versionKey(name: string): string {
  return `version:${name}`;
}

function subjectOf(
  { caller, clientRequest, conversation }: Exchange,
  scope: ToolCachePlan['scope'],
): string | null {
  switch (scope) {
    case 'account':
      return null;
    case 'person':
      return endUserRefOf(clientRequest, scopeOf(caller));
    case 'conversation':
      return conversation.root;
  }
}

function isCacheable(answer: ToolAnswer): answer is CacheableAnswer {
  return !isJsonObject(answer) || (!('handOver' in answer) && answer.isError !== true);
}
