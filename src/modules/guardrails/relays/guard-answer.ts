import {
  changeRelayAnswer,
  type Exchange,
  GatewayError,
  isJsonObject,
  isJsonType,
  type JsonObject,
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
import { rewriteFrames } from './rewrite-frames.ts';

interface AnswerGuard {
  readonly policy: Policy;
  readonly kit: Kit<GuardrailsOptions>;
  /** Puts values back in place of their placeholders. */
  readonly restore?: ((text: string) => string) | undefined;
}

/** Reports, replaces or blocks what the policy finds in the texts of an answer, and puts values back. Answers without texts pass untouched. */
export async function guardAnswer(reply: Reply, exchange: Exchange, guard: AnswerGuard): Promise<Reply> {
  const fields = exchange.relay?.route.texts?.answer;
  if (fields === undefined || (guard.policy.isIdle && guard.restore === undefined)) return reply;
  const rewriteText = (text: string): string => guardText(text, guard);
  const rewrite = (answer: JsonObject): JsonObject => mapAnswerTexts(answer, fields, rewriteText);
  if (reply.framing === 'sse')
    return changeRelayAnswer(reply, rewriteFrames(relayBytes(reply, exchange), fields, rewrite), exchange);
  if (!isJson(reply)) return reply;
  const bytes = await readBytes(relayBytes(reply, exchange), exchange.clientRequest);
  const answer = fields.some((field) => bytes.includes(`"${field}"`)) ? parse(bytes) : undefined;
  const rewritten = answer && rewrite(answer);
  const body = rewritten === answer ? bytes : Buffer.from(JSON.stringify(rewritten));
  return changeRelayAnswer(reply, sourceFromValue<Uint8Array>(body), exchange);
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

function parse(bytes: Buffer): JsonObject | undefined {
  try {
    const answer: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

function blockedAnswerError(kind: string): GatewayError {
  return new GatewayError('blocked_by_module', `guardrails: the answer has ${kind}, which is not allowed`, {
    detail: kind,
    shouldRetry: false,
  });
}
