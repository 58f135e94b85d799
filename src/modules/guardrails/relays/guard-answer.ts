import { isUtf8 } from 'node:buffer';
import {
  changeRelayAnswer,
  type Exchange,
  isJsonType,
  type JsonObject,
  jsonObjectIn,
  mapAnswerTexts,
  type Reply,
  readBytes,
  relayBytes,
  sourceFromValue,
} from '../../../module-api.ts';
import { type AnswerGuard, guardPieces, guardText } from './guard-pieces.ts';
import { type RewriteAnswers, rewriteDeltas, rewriteFrames } from './rewrite-frames.ts';

/** Reports, replaces or blocks what the policy finds in the texts of an answer, and puts values back. Answers without texts pass untouched. */
export async function guardAnswer(reply: Reply, exchange: Exchange, guard: AnswerGuard): Promise<Reply> {
  const texts = exchange.relay?.route.texts;
  const { answer: fields, delta } = texts ?? {};
  const { policy, restore } = guard;
  if (fields === undefined || texts === undefined || (policy.isIdle && restore === undefined)) return reply;
  const rewriteText = (text: string): string => guardText(text, guard);
  const rewriteAll: RewriteAnswers = (answers, whole) =>
    mapAnswerTexts(answers, texts, (pieces) => guardPieces(pieces, whole, guard));
  const rewrite = (answer: JsonObject): JsonObject => {
    const [rewritten = answer] = rewriteAll([answer], wholeTextOf(answer));
    return rewritten;
  };
  const bytes = relayBytes(reply, exchange);
  if (reply.framing === 'sse') {
    const mayChange = restore !== undefined || policy.mayBlock || policy.mayRedact;
    const frames =
      delta !== undefined && mayChange
        ? rewriteDeltas(bytes, { fields, rewriteAll, delta, rewriteText })
        : rewriteFrames(bytes, { fields, rewrite });
    return changeRelayAnswer(reply, frames, exchange);
  }
  const body = await readBytes(bytes, exchange.clientRequest);
  const changed = isJson(reply) ? rewriteJson(body, fields, rewrite) : rewriteWhole(body, rewriteText);
  return changeRelayAnswer(reply, sourceFromValue<Uint8Array>(changed), exchange);
}

/** The text that the words and segments of an answer are pieces of. */
function wholeTextOf({ text }: JsonObject): string | undefined {
  return typeof text === 'string' ? text : undefined;
}

function rewriteJson(
  body: Buffer,
  fields: readonly string[],
  rewrite: (answer: JsonObject) => JsonObject,
): Buffer {
  const answer = fields.some((field) => body.includes(`"${field}"`)) ? jsonObjectIn(body) : undefined;
  const rewritten = answer && rewrite(answer);
  return rewritten === answer ? body : Buffer.from(JSON.stringify(rewritten));
}

/** An answer that is a text, such as subtitles. Others are no text of any language. */
function rewriteWhole(body: Buffer, rewriteText: (text: string) => string): Buffer {
  if (!isUtf8(body)) return body;
  const text = body.toString('utf8');
  const rewritten = rewriteText(text);
  return rewritten === text ? body : Buffer.from(rewritten);
}

function isJson({ headers }: Reply): boolean {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return isJsonType(headers[at + 1] ?? '');
}
