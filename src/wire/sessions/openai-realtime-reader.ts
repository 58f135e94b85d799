import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { Usage } from '../../kernel/message.ts';
import type {
  ClientMessage,
  SessionEvent,
  SessionReader,
  SessionSetup,
} from '../../kernel/session-protocol.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, parseObject, stringOf } from '../json-values.ts';
import { realtimeUsageOf, transcriptUsageOf } from './openai-realtime-usage.ts';

/** Reads the events of OpenAI's Realtime API. Sound, which is most of them, is only measured. */
export class OpenaiRealtimeReader implements SessionReader {
  contextTokens = 0;
  outputTokens: number | undefined;
  model: string | undefined;
  otherModels: readonly string[] = [];
  readonly #setup: SessionSetup;
  #transcriptionModel: string | undefined;
  /** A token of the user is a tenth of a second. */
  #bytesPerToken = telephoneBytesPerToken;
  /** Sound of the client since a usage was reported. */
  #heardTokens = 0;
  #spokenTokens = 0;
  #writtenTokens = 0;
  #hasContent = false;

  constructor(setup: SessionSetup) {
    this.#setup = setup;
  }

  readClient(message: Buffer, isBinary: boolean): ClientMessage {
    const { byteLength } = message;
    if (!isBinary && isPlainSound(message)) {
      const tokens = Math.ceil((byteLength * 0.75) / this.#bytesPerToken);
      this.#heardTokens += tokens;
      this.contextTokens += tokens;
      return { asks: false };
    }
    this.contextTokens += Math.ceil(byteLength / textBytesPerToken);
    const event = isBinary ? undefined : readEvent(message);
    switch (event?.type) {
      case 'response.create': {
        this.#raiseOutput(objectOf(event.response) ?? {});
        return { asks: true };
      }
      case 'session.update':
      case 'transcription_session.update':
        return this.#readSettings(objectOf(event.session) ?? {});
      default:
        return { asks: false };
    }
  }

  readProvider(message: Buffer, isBinary: boolean): readonly SessionEvent[] {
    if (isBinary) return none;
    const type = typeOf(message);
    if (type === undefined) return none;
    if (soundTypes.has(type)) return this.#addOutput((message.byteLength * 0.75) / spokenBytesPerToken, 0);
    if (type.endsWith('.delta') && type.startsWith('response.'))
      return this.#addOutput(0, message.byteLength / eventBytesPerToken);
    if (!knownTypes.has(type)) return none;
    const event = parseObject(message.toString());
    return event === undefined ? none : this.#readEvent(type, event);
  }

  estimate(): Usage {
    const input = Math.ceil(this.contextTokens);
    return {
      input_tokens: input,
      input_audio_tokens: Math.min(input, this.#heardTokens),
      output_tokens: Math.ceil(this.#spokenTokens + this.#writtenTokens),
      output_audio_tokens: Math.ceil(this.#spokenTokens),
    };
  }

  #readEvent(type: string, event: JsonObject): readonly SessionEvent[] {
    const response = objectOf(event.response) ?? {};
    const id = stringOf(response.id) ?? '';
    switch (type) {
      case 'response.created':
        this.#spokenTokens = 0;
        this.#writtenTokens = 0;
        this.#hasContent = false;
        return [{ kind: 'started', id }];
      case 'response.done': {
        const usage = realtimeUsageOf(response);
        const total = countOf(objectOf(response.usage)?.total_tokens);
        if (usage !== undefined) {
          this.contextTokens = total ?? this.contextTokens;
          this.#heardTokens = 0;
        }
        return [{ kind: 'ended', id, usage, ...endingOf(response) }];
      }
      case 'conversation.item.input_audio_transcription.completed': {
        const usage = transcriptUsageOf(objectOf(event.usage) ?? {});
        if (this.#setup.isTranscription === true) {
          this.contextTokens = 0;
          this.#heardTokens = 0;
        }
        return usage === undefined ? none : [{ kind: 'used', usage, model: this.#transcriptionModel }];
      }
      case 'error':
        return [{ kind: 'error' }];
      default:
        this.#readReportedSettings(objectOf(event.session) ?? {});
        return none;
    }
  }

  #addOutput(spoken: number, written: number): readonly SessionEvent[] {
    this.#spokenTokens += spoken;
    this.#writtenTokens += written;
    if (this.#hasContent) return none;
    this.#hasContent = true;
    return [{ kind: 'content' }];
  }

  /** A session has the model that it was opened with: another one might not be allowed, and have another price. */
  #readSettings(session: JsonObject): ClientMessage {
    const named = session.model;
    if (
      named !== undefined &&
      named !== null &&
      named !== bareModel(this.#setup.model) &&
      named !== this.#setup.model
    )
      return {
        asks: false,
        refusal: new GatewayError(
          'invalid_request',
          `this session is for the model "${this.#setup.model}"; open another one for another model`,
          { param: 'session.model' },
        ),
      };
    // The provider may reject the message, so a lower limit counts when the provider reports it.
    this.#raiseOutput(session);
    this.#readTranscription(session);
    return { asks: false };
  }

  #readReportedSettings(session: JsonObject): void {
    const limit = outputLimitIn(session);
    if (limit !== undefined) this.outputTokens = countOf(limit);
    this.#readTranscription(session);
    const format = objectOf(objectOf(objectOf(session.audio)?.input)?.format);
    const name = stringOf(format?.type) ?? stringOf(session.input_audio_format);
    if (name !== undefined)
      this.#bytesPerToken = /^(?:audio\/)?pcm(?:16)?$/.test(name) ? pcmBytesPerToken : telephoneBytesPerToken;
  }

  #raiseOutput(fields: JsonObject): void {
    const limit = outputLimitIn(fields);
    if (limit === undefined || this.outputTokens === undefined) return;
    const tokens = countOf(limit);
    this.outputTokens = tokens === undefined ? undefined : Math.max(tokens, this.outputTokens);
  }

  #readTranscription(session: JsonObject): void {
    const { transcription = session.input_audio_transcription } =
      objectOf(objectOf(session.audio)?.input) ?? {};
    const model = stringOf(objectOf(transcription)?.model);
    if (model === undefined) return;
    this.#transcriptionModel = model;
    if (this.#setup.isTranscription === true) this.model = model;
    else this.otherModels = [model];
  }
}

const none: readonly SessionEvent[] = [];

/** 24,000 samples of two bytes each second. */
const pcmBytesPerToken = 4800;
/** 8,000 samples of one byte. */
const telephoneBytesPerToken = 800;
/** A token of the model is a twentieth of a second: in the form that has fewer bytes. */
const spokenBytesPerToken = 400;
/** Text in JSON has four bytes for a token, or three in dense languages. */
const textBytesPerToken = 2;
/** An event of a text has some 200 bytes around a word. */
const eventBytesPerToken = 200;

const soundTypes: ReadonlySet<string> = new Set(['response.output_audio.delta', 'response.audio.delta']);
const knownTypes: ReadonlySet<string> = new Set([
  'response.created',
  'response.done',
  'conversation.item.input_audio_transcription.completed',
  'session.created',
  'session.updated',
  'transcription_session.created',
  'transcription_session.updated',
  'error',
]);

/** Whether a message is sound and nothing else, however a parser reads it. */
function isPlainSound(message: Buffer): boolean {
  const head = message.toString('latin1', 0, 200);
  if (!/^\s*\{[^{}[\]\\]{0,100}"type"\s*:\s*"input_audio_buffer\.append"/.test(head)) return false;
  const second = message.indexOf('"type"', head.indexOf('"type"') + 6);
  return second < 0 && !message.includes(backslash);
}

const backslash = 92;

/** Undefined for what is no event; the provider then says so. */
function readEvent(message: Buffer): JsonObject | undefined {
  try {
    return LazyJsonObject.of(message).parse();
  } catch {
    return undefined;
  }
}

/** The type of a provider's event, which most of them begin with. */
function typeOf(message: Buffer): string | undefined {
  const [, type] = /^\{\s?"type"\s?:\s?"([\w.]{1,80})"/.exec(message.toString('latin1', 0, 120)) ?? [];
  return type ?? stringOf(LazyJsonObject.ofAnswer(message)?.get('type'));
}

function endingOf(response: JsonObject) {
  const details = objectOf(response.status_details);
  if (response.status !== 'failed') {
    const reason = stringOf(details?.reason) ?? stringOf(response.status);
    return { stopReason: reason };
  }
  const error = objectOf(details?.error);
  const type = stringOf(error?.type) ?? 'server_error';
  return { failure: { type, message: stringOf(error?.message) ?? 'the response failed' } };
}

/** `inf` and null are no limit; undefined if the fields say nothing. */
function outputLimitIn(fields: JsonObject): unknown {
  return fields.max_output_tokens ?? fields.max_response_output_tokens;
}

/** `openai/gpt-realtime` is `gpt-realtime` in the events. */
function bareModel(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
