import type { Usage } from '../../kernel/message.ts';
import type {
  ClientMessage,
  SessionEvent,
  SessionReader,
  SessionSetup,
} from '../../kernel/session-protocol.ts';
import type { JsonObject } from '../../lib/json.ts';
import { usageOf } from '../gemini/usage.ts';
import { countOf, objectOf, objectsOf, parseObject, stringOf } from '../json-values.ts';

/** Reads the messages of Google's Live API. Those of the provider are JSON in binary messages. */
export class GeminiLiveReader implements SessionReader {
  contextTokens = 0;
  readonly outputTokens: number | undefined;
  readonly model = undefined;
  readonly otherModels: readonly string[] = [];
  #generations = 0;
  /** The generation that runs. */
  #running: string | undefined;
  /** Whether the provider has ended it, and only its usage is missing. */
  #isOver = false;
  #usage: Usage | undefined;
  #totalTokens = 0;
  #heardTokens = 0;
  #outputTokens = 0;

  constructor({ outputTokens }: SessionSetup) {
    this.outputTokens = outputTokens;
  }

  readClient(message: Buffer): ClientMessage {
    const input = objectOf(parseObject(message.toString())?.realtimeInput) ?? {};
    const sound = [objectOf(input.audio), ...objectsOf(input.mediaChunks)].filter(isSound);
    const soundBytes = sum(sound.map((chunk) => stringOf(chunk?.data)?.length ?? 0));
    const videoBytes = stringOf(objectOf(input.video)?.data)?.length ?? 0;
    const heard = Math.ceil((soundBytes * 0.75) / soundBytesPerToken);
    this.#heardTokens += heard;
    this.contextTokens +=
      heard +
      (videoBytes > 0 ? pictureTokens : 0) +
      Math.ceil((message.byteLength - soundBytes - videoBytes) / textBytesPerToken);
    return { asks: false };
  }

  readProvider(message: Buffer): readonly SessionEvent[] {
    const events: SessionEvent[] = [];
    const has = (name: string) => message.includes(name);
    const isEnding = has('"turnComplete"') || has('"toolCall"');
    if (has('"modelTurn"') || has('"outputTranscription"') || has('"toolCall"')) {
      if (this.#running === undefined) events.push(this.#start(), { kind: 'content' });
      this.#outputTokens += (message.byteLength * 0.75) / soundBytesPerToken;
    }
    if (!isEnding && !has('"usageMetadata"')) return events;
    const { usageMetadata, serverContent, toolCall } = parseObject(message.toString()) ?? {};
    if (objectOf(serverContent)?.turnComplete === true || toolCall !== undefined) this.#isOver = true;
    const counts = objectOf(usageMetadata);
    if (counts !== undefined) {
      if (this.#running === undefined) events.push(this.#start());
      this.#addUsage(counts);
    }
    if (this.#isOver && this.#usage !== undefined && this.#running !== undefined)
      events.push({ kind: 'ended', id: this.#running, usage: this.#end() });
    else if (this.#running === undefined) this.#isOver = false;
    return events;
  }

  estimate(): Usage {
    const input = Math.ceil(this.contextTokens);
    const output = Math.ceil(this.#outputTokens);
    return (
      this.#usage ?? {
        input_tokens: input,
        input_audio_tokens: Math.min(input, this.#heardTokens),
        output_tokens: output,
        output_audio_tokens: output,
      }
    );
  }

  #start(): SessionEvent {
    this.#running = `live_${++this.#generations}`;
    this.#outputTokens = 0;
    return { kind: 'started', id: this.#running };
  }

  #end(): Usage | undefined {
    const usage = this.#usage;
    this.contextTokens = this.#totalTokens;
    this.#heardTokens = 0;
    this.#totalTokens = 0;
    this.#running = undefined;
    this.#isOver = false;
    this.#usage = undefined;
    return usage;
  }

  /** A later report of a turn replaces an earlier one, unless it is of another generation, which reads what the first has written. */
  #addUsage(counts: JsonObject): void {
    const { responseTokenCount, responseTokensDetails, candidatesTokenCount, candidatesTokensDetails } =
      counts;
    const usage = usageOf({
      ...counts,
      candidatesTokenCount: responseTokenCount ?? candidatesTokenCount,
      candidatesTokensDetails: responseTokensDetails ?? candidatesTokensDetails,
    });
    const prompt = countOf(counts.promptTokenCount) ?? 0;
    const isAnother = this.#usage !== undefined && prompt >= this.#totalTokens;
    this.#usage = isAnother && this.#usage !== undefined ? sumOf(this.#usage, usage) : usage;
    this.#totalTokens = countOf(counts.totalTokenCount) ?? prompt;
  }
}

/** Sound at 16,000 samples has 1,000 bytes for each of its 32 tokens a second, slower sound has fewer. */
const soundBytesPerToken = 500;
const pictureTokens = 300;
const textBytesPerToken = 2;

function isSound(chunk: JsonObject | undefined): boolean {
  return stringOf(chunk?.mimeType)?.startsWith('audio/') === true;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

const summedCounts = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'input_audio_tokens',
  'output_audio_tokens',
] as const;

function sumOf(one: Usage, other: Usage): Usage {
  const sums = summedCounts.flatMap((name) => {
    const [first, second] = [one[name], other[name]];
    return first === undefined && second === undefined ? [] : [[name, (first ?? 0) + (second ?? 0)] as const];
  });
  return { ...one, ...other, ...Object.fromEntries(sums) };
}
