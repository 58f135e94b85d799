import { type GenerateContentParameters, GoogleGenAI } from '@google/genai';
import type { JsonObject } from '../../../src/lib/json.ts';
import { gemini as wire } from '../../../src/wire/index.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../src/wire/json-values.ts';
import { askedInGemini } from './asked/gemini.ts';
import { continuedInGemini } from './continued.ts';
import type { Facts, Outcome } from './facts.ts';
import type { Asking, Format } from './formats.ts';

export const gemini: Format = {
  api: 'gemini.generateContent',
  wire,
  endpoint: /:(generateContent|streamGenerateContent)$/,
  provider: 'gemini',
  recorded: (body, url) => ({
    ...body,
    model: /\/models\/([^:]*)/.exec(url)?.[1] ?? '',
    stream: url.includes(':streamGenerateContent'),
  }),
  sent({ model, stream, ...body }) {
    const verb = stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent';
    return { path: `/v1beta/models/${model}:${verb}`, body };
  },
  whole: (body) => outcomeOf([body]),
  streamed: outcomeOf,
  asked: askedInGemini,
  continued: continuedInGemini,
  ask,
};

/** An answer in one piece or in several, which look alike. */
function outcomeOf(pieces: readonly JsonObject[]): Outcome {
  const error = pieces.map((piece) => objectOf(piece.error)).find((told) => told !== undefined);
  if (error !== undefined) return { error: stringOf(error.message) ?? '' };
  const candidates = pieces.flatMap((piece) => objectsOf(piece.candidates).slice(0, 1));
  const parts = candidates.flatMap(({ content }) => objectsOf(objectOf(content)?.parts));
  const textOf = (thought: boolean) =>
    parts
      .filter((part) => (part.thought === true) === thought)
      .map(({ text }) => stringOf(text) ?? '')
      .join('');
  const made = parts.flatMap(({ functionCall }) => objectsOf([functionCall]));
  const calls = made.map(({ id, name, args }) => ({
    id: stringOf(id) ?? '',
    name: String(name),
    input: args ?? {},
  }));
  const finish = candidates.map(({ finishReason }) => stringOf(finishReason)).findLast((each) => each);
  const isBlocked = pieces.some((piece) => objectOf(piece.promptFeedback)?.blockReason !== undefined);
  const stop = isBlocked ? 'refusal' : stopOf(finish, calls.length > 0);
  const usage = usageOf(objectOf(pieces.at(-1)?.usageMetadata) ?? {});
  return { facts: { text: textOf(false), thinking: textOf(true), calls, stop, usage } };
}

function stopOf(finish: string | undefined, calls: boolean): string {
  if (finish === 'MAX_TOKENS') return 'max_tokens';
  if (/SAFETY|RECITATION|BLOCKLIST|PROHIBITED|SPII|MODEL_ARMOR/.test(finish ?? '')) return 'refusal';
  return calls ? 'tool_use' : 'end_turn';
}

function usageOf(usage: JsonObject): Facts['usage'] {
  const count = (field: string) => numberOf(usage[field]) ?? 0;
  return {
    input: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    cached: count('cachedContentTokenCount'),
    written: 0,
    output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
  };
}

async function ask({ url, body, stream }: Asking): Promise<JsonObject> {
  const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url } });
  const { model, contents, generationConfig, ...rest } = body;
  const config = { ...rest, ...objectOf(generationConfig) };
  const asked: GenerateContentParameters = JSON.parse(JSON.stringify({ model, contents, config }));
  if (!stream) return plain(await client.models.generateContent(asked));
  const pieces: JsonObject[] = [];
  for await (const piece of await client.models.generateContentStream(asked)) pieces.push(plain(piece));
  const candidates = pieces.flatMap((piece) => objectsOf(piece.candidates).slice(0, 1));
  const parts = candidates.flatMap(({ content }) => objectsOf(objectOf(content)?.parts));
  const ending = { ...candidates.at(-1), content: { role: 'model', parts } };
  return { ...pieces.at(-1), candidates: candidates.length === 0 ? [] : [ending] };
}

function plain(answer: object): JsonObject {
  return JSON.parse(JSON.stringify(answer));
}
