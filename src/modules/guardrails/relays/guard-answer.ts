import { isUtf8 } from 'node:buffer';
import {
  changeRelayAnswer,
  type Exchange,
  GatewayError,
  isJsonType,
  type JsonObject,
  jsonObjectIn,
  type Kit,
  mapAnswerTexts,
  type Reply,
  readBytes,
  relayBytes,
  sourceFromValue,
} from '../../../module-api.ts';
import type { GuardrailsOptions } from '../options.ts';
import type { Policy } from '../policy.ts';
import { anonymousPlaceholder } from '../redaction/placeholders.ts';
import { reportFindings } from '../request-findings.ts';
import { rewriteDeltas, rewriteFrames } from './rewrite-frames.ts';

interface AnswerGuard {
  readonly policy: Policy;
  readonly kit: Kit<GuardrailsOptions>;
  /** Puts values back in place of their placeholders. */
  readonly restore?: ((text: string) => string) | undefined;
}

/** Reports, replaces or blocks what the policy finds in the texts of an answer, and puts values back. Answers without texts pass untouched. */
export async function guardAnswer(reply: Reply, exchange: Exchange, guard: AnswerGuard): Promise<Reply> {
  const { answer: fields, delta } = exchange.relay?.route.texts ?? {};
  const { policy, restore } = guard;
  if (fields === undefined || (policy.isIdle && restore === undefined)) return reply;
  const rewriteText = (text: string): string => guardText(text, guard);
  const rewrite = (answer: JsonObject): JsonObject => mapAnswerTexts(answer, fields, rewriteText);
  const bytes = relayBytes(reply, exchange);
  if (reply.framing === 'sse') {
    const mayChange = restore !== undefined || policy.mayBlock || policy.mayRedact;
    const frames =
      delta !== undefined && mayChange
        ? rewriteDeltas(bytes, { fields, rewrite, delta, rewriteText })
        : rewriteFrames(bytes, { fields, rewrite });
    return changeRelayAnswer(reply, frames, exchange);
  }
  const body = await readBytes(bytes, exchange.clientRequest);
  const changed = isJson(reply) ? rewriteJson(body, fields, rewrite) : rewriteWhole(body, rewriteText);
  return changeRelayAnswer(reply, sourceFromValue<Uint8Array>(changed), exchange);
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

/** The text as the client may have it. Findings are sought before values are put back, so that the client's own are none. */
function guardText(text: string, { policy, kit, restore = (same) => same }: AnswerGuard): string {
  const findings = policy.isIdle ? [] : policy.find(text);
  reportFindings(findings, 'output.', kit);
  const blocked = policy.blocking(findings);
  if (blocked !== undefined) throw blockedAnswerError(blocked.kind);
  let guarded = '';
  let at = 0;
  for (const { start, end, kind } of findings) {
    if (policy.actionFor(kind) !== 'redact') continue;
    guarded += restore(text.slice(at, start)) + (policy.replacementFor(kind) ?? anonymousPlaceholder(kind));
    at = end;
  }
  return guarded + restore(text.slice(at));
}

function isJson({ headers }: Reply): boolean {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return isJsonType(headers[at + 1] ?? '');
}

function blockedAnswerError(kind: string): GatewayError {
  return new GatewayError('blocked_by_module', `guardrails: the answer has ${kind}, which is not allowed`, {
    detail: kind,
    shouldRetry: false,
  });
}
