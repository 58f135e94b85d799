import { randomUUID } from 'node:crypto';
import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf } from '../../src/wire/json-values.ts';
import { word } from './scenarios.ts';
import { answering, type ScriptedTurn } from './scripted-turns.ts';

/** How often the agent has to compact the conversation. */
const compactionsMin = 2;
const readingsMax = 40;
const tokensMax = 90_000;
const bytesPerToken = 4;

/** The files that fill the context, by name. */
export const longFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: readingsMax }, (_, file) => [
    `river-${file}.txt`,
    Array.from(
      { length: 400 },
      (__, line) => `Gauge ${file}, line ${line}: ${'the water rises and falls '.repeat(3)}`,
    ).join('\n'),
  ]),
);

/** A model that reads long files until the agent has compacted the conversation twice, and must find its summaries again. */
export class CompactingModel {
  readonly #stops: boolean;
  #compactions = 0;
  #readings = 0;

  get compactions(): number {
    return this.#compactions;
  }

  /** Whether the request asks for a summary. */
  asksForSummary({ bytes }: SeenRequest): boolean {
    return summaryRequests.test(bytes.toString());
  }

  /** `stops` if the model is to end its turn when the context is full, in place of an error. */
  constructor(stops: boolean) {
    this.#stops = stops;
  }

  /** The answer; `read` calls the tool that reads a file, undefined in requests for titles and the like. */
  answer(request: SeenRequest, read: ((file: string) => ScriptedTurn) | undefined): Script {
    const tokens = estimatedTokens(request);
    return reportingTokens(this.#answer(request, tokens, read), tokens);
  }

  #answer(request: SeenRequest, tokens: number, read: ((file: string) => ScriptedTurn) | undefined): Script {
    const said = request.bytes.toString();
    if (this.asksForSummary(request)) return this.#summary(request);
    if (read === undefined) return answering(request, { text: 'Rivers' });
    if (!said.includes('river.txt')) return answering(request, { text: 'Hello.' });
    const latest = summaryName(this.#compactions);
    if (this.#compactions > 0 && !said.includes(latest))
      return answering(request, { text: `${latest} is missing.` });
    if (this.#compactions >= compactionsMin)
      return answering(request, said.includes(word) ? { text: `The word is ${word}.` } : read('river.txt'));
    if (this.#readings >= readingsMax) return answering(request, { text: 'The agent never compacted.' });
    if (tokens > tokensMax) return this.#stops ? answering(request, { text: 'I stop here.' }) : tooLong;
    return answering(request, read(`river-${this.#readings++}.txt`));
  }

  #summary(request: SeenRequest): Script {
    // Gemini CLI has the summary checked.
    if (!request.bytes.includes('Critically evaluate')) this.#compactions++;
    const name = summaryName(this.#compactions);
    if (isTrigger(request)) return compactionAnswer(name);
    const text = `<summary><state_snapshot>The person wants the word in river.txt: ${name}.</state_snapshot></summary>`;
    return answering(request, { text });
  }
}

export function estimatedTokens({ bytes }: SeenRequest): number {
  return Math.round(bytes.byteLength / bytesPerToken);
}

function summaryName(number: number): string {
  return `summary number ${number}`;
}

/** The beginnings of what agents, and Weir for Codex, ask for a summary with. */
const summaryRequests =
  /"compaction_trigger"|write a summary of this conversation|Your task is to create a detailed summary|context summarization a|CONTEXT CHECKPOINT COMPACTION|responsible for distilling|component that summarizes/;

/** Claude Code waits for this error if it does not know the model. */
const tooLong: Script = {
  status: 400,
  body: {
    type: 'error',
    error: {
      ...{ type: 'invalid_request_error', code: 'context_length_exceeded', param: null },
      message: `prompt is too long: the context window has ${tokensMax} tokens`,
    },
  },
};

function isTrigger({ json }: SeenRequest): boolean {
  return objectsOf(json.input).at(-1)?.type === 'compaction_trigger';
}

/** OpenAI's answer to a trigger. */
function compactionAnswer(encrypted_content: string): Script {
  const item = { id: 'cmp_1', type: 'compaction', encrypted_content };
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5-codex', output: [item] };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, encrypted_content: '' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ];
  return { chunks: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) };
}

/**
 * The same answer with another number of input tokens, which Chat Completions reports at the end of a stream, and with an
 * id of its own: Claude Code takes answers of one id for one answer.
 */
function reportingTokens(script: Script, tokens: number): Script {
  const { chunks } = script;
  if (chunks === undefined) return script;
  const usage = { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 };
  const last = JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    choices: [],
    usage,
  });
  return {
    ...script,
    chunks: chunks.map((chunk) =>
      typeof chunk === 'string'
        ? chunk
            .replaceAll(/"(input_tokens|promptTokenCount)":10\b/g, `"$1":${tokens}`)
            .replaceAll(/"(total_tokens|totalTokenCount)":15\b/g, `"$1":${tokens + 5}`)
            .replace('"msg_1"', `"msg_${randomUUID()}"`)
            .replace('data: [DONE]', `data: ${last}\n\ndata: [DONE]`)
        : chunk,
    ),
  };
}
