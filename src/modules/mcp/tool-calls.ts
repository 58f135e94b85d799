import {
  type Exchange,
  GatewayError,
  isJsonObject,
  type JsonObject,
  type Kit,
  type McpInputRequiredResult,
  type McpToolResult,
} from '../../module-api.ts';
import { limits } from './limits.ts';
import type { ListedTool } from './listed-tool.ts';
import type { McpOptions } from './options.ts';
import { type ReadableKinds, type ResultContent, resultContent } from './result-content.ts';

export type CallKit = Pick<Kit<McpOptions>, 'mcp' | 'models' | 'note' | 'options'>;

/** The calls of tools in one call of the client, within its limits. */
export class ToolCalls {
  readonly #exchange: Exchange;
  readonly #kit: CallKit;
  #count = 0;
  #errors = 0;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Aborted when the time for all calls is over. */
  #total: AbortSignal | undefined;
  #readable: Promise<ReadableKinds> | undefined;

  constructor(exchange: Exchange, kit: CallKit) {
    this.#exchange = exchange;
    this.#kit = kit;
  }

  /** The result for the model; whatever goes wrong at the server is one, too. */
  async call(tool: ListedTool, input: unknown): Promise<ResultContent> {
    if (this.#count >= limits.callsMax)
      return this.#failure(`No more than ${limits.callsMax} tools can be called in one answer.`);
    this.#count++;
    this.#kit.note({ calls: this.#count, errors: this.#errors });
    await this.#takeTurn();
    try {
      return await this.#call(tool, isJsonObject(input) ? input : {});
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  /** An error that the model reads instead of a result. */
  #failure(content: string): ResultContent {
    this.#errors++;
    this.#kit.note({ errors: this.#errors });
    return { content, isError: true };
  }

  async #takeTurn(): Promise<void> {
    while (this.#running >= limits.callsAtOnceMax)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
  }

  async #call({ gatewayName }: ListedTool, input: JsonObject): Promise<ResultContent> {
    const { call_seconds: callSeconds, total_seconds: totalSeconds } = this.#kit.options;
    const { signal: left } = this.#exchange;
    this.#total ??= AbortSignal.timeout(totalSeconds * 1000);
    const late = AbortSignal.timeout(callSeconds * 1000);
    const signal = AbortSignal.any([left, late, this.#total]);
    try {
      signal.throwIfAborted();
      const call = this.#kit.mcp.call(gatewayName, input, { signal });
      return await this.#contentOf(await orAborted(call, signal));
    } catch (failure) {
      if (left.aborted) throw failure;
      if (this.#total.aborted)
        return this.#failure(`The ${totalSeconds} seconds for tools in this answer are over.`);
      if (late.aborted) return this.#failure(`The tool did not answer within ${callSeconds} seconds.`);
      if (GatewayError.is(failure)) return this.#failure(`The tool could not be called: ${failure.message}`);
      throw failure;
    }
  }

  async #contentOf(result: McpToolResult): Promise<ResultContent> {
    if (result.resultType === 'input_required') return this.#failure(inputRequiredText(result));
    const content = await resultContent(result, this.#kit.options.result_bytes, () => this.#readableKinds());
    if (content.isError) this.#kit.note({ errors: ++this.#errors });
    return content;
  }

  /** What the model of the call can read; a kind of which nothing is known is tried. */
  #readableKinds(): Promise<ReadableKinds> {
    const find = async () => {
      const [candidate] = await this.#kit.models.candidates(this.#exchange);
      const { images, documents } = candidate?.abilities ?? { images: false, documents: false };
      return { images: images !== false, documents: documents !== false };
    };
    this.#readable ??= find();
    return this.#readable;
  }
}

/** Rejects once the signal aborts, whatever becomes of the work. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Nobody can answer the server in the middle of a call, so the model has to ask before it calls again. */
function inputRequiredText({ inputRequests = {} }: McpInputRequiredResult): string {
  const messages = Object.values(inputRequests).flatMap((request) => {
    const parameters = isJsonObject(request) && isJsonObject(request.params) ? request.params : {};
    return typeof parameters.message === 'string' ? [parameters.message.slice(0, questionCharacters)] : [];
  });
  const what = messages.length === 0 ? '' : ` It asked: ${messages.slice(0, questionsMax).join(' / ')}`;
  return `The tool did not finish: it needs an answer of the user, which cannot be given during a call. Ask the user, and put the answer into the arguments if there is a place for it.${what}`;
}

const questionCharacters = 500;
const questionsMax = 3;
