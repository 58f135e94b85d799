import { setImmediate } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { objectOf, stringOf } from '../../../src/wire/json-values.ts';
import { lossesOf } from './asked/compare.ts';
import { converse } from './converse.ts';
import type { Findings } from './findings.ts';
import { type Format, formats } from './formats.ts';
import type { Recording } from './recordings.ts';
import { refusalsOf } from './refusals/refusal.ts';
import { type Stage, sentTo } from './stage.ts';
import type { Target } from './targets.ts';

export interface Question {
  readonly recording: Recording;
  readonly client: Format;
  readonly target: Target;
  readonly body: JsonObject;
}

/** What a provider was asked, if the gateway asked it at all, and what the gateway answered. */
export interface CallJudgement {
  readonly got?: { readonly body: JsonObject; readonly bytes: Buffer };
  readonly answer: JsonObject;
  readonly faults: readonly string[];
}

/** Sends a request and holds what the provider got against what the client said; undefined where it was refused. */
export async function judge(
  stage: Stage,
  question: Question,
  findings: Findings,
): Promise<CallJudgement | undefined> {
  const { client, target, body, recording } = question;
  stage.fake.requests.length = 0;
  const sending = client.sent(body);
  const response = await fetch(stage.weir.url + sending.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sending.body),
  });
  const given = parsed(await response.text());
  const { answer, headers } =
    body.background === true && response.ok
      ? await endOf(stage, given)
      : { answer: given, headers: response.headers };
  const seen = sentTo(stage);
  if (seen === undefined) {
    const refusal = refusalIn(answer, response.status);
    if (response.status >= 500 || (recording.status < 300 && !mayRefuse.test(refusal)))
      return { answer, faults: [`the gateway refused: "${refusal}"`] };
    findings.count('refused', refusal);
    return undefined;
  }
  const format = [...formats, converse].find(({ endpoint }) => endpoint.test(seen.url.split('?')[0] ?? ''));
  if (format === undefined) return { answer, faults: [`asked at ${seen.url}`] };
  const dropped = (headers.get('x-weir-dropped') ?? '').split(/,\s*/).filter((name) => name !== '');
  const sent = { body: objectOf(seen.json) ?? {}, asked: format.asked(seen.json) };
  const asked = client.asked(body);
  const faults = [
    ...(response.ok ? [] : [`the answer was ${response.status}: ${JSON.stringify(answer).slice(0, 300)}`]),
    ...lossesOf({ asked, body }, sent, dropped),
    ...refusalsOf(target.refusals, target, sent, asked),
    ...(seen.bytes.includes('weir.sealed.') ? ['what was sealed for another provider'] : []),
  ];
  return { got: { body: sent.body, bytes: seen.bytes }, answer, faults };
}

/** An answer that is made in the background, and the headers with which it is read at its end. */
async function endOf(
  { weir }: Stage,
  begun: JsonObject,
): Promise<{ readonly answer: JsonObject; readonly headers: Headers }> {
  for (;;) {
    const response = await fetch(`${weir.url}/v1/responses/${begun.id}`);
    const answer = parsed(await response.text());
    if (answer.status !== 'in_progress' && answer.status !== 'queued')
      return { answer, headers: response.headers };
    await setImmediate();
  }
}

/** Requests that the gateway may reject: it can't translate them without loss, or they have no content. */
const mayRefuse =
  /^(format_not_supported: (n|logprobs|top_logprobs|modalities|audio|functions|function_call|background|conversation|prompt|include|previous_response_id|messages\[\].*|input\[\].*|contents\[\].*|generationConfig\.(candidateCount|responseLogprobs|responseModalities|speechConfig)|cachedContent)|previous_response_not_found: .*|invalid_request: messages(: at least one message must have content)?)$/;

function refusalIn(answer: JsonObject, status: number): string {
  const error = objectOf(answer.error) ?? {};
  const code = stringOf(error.code) ?? codeIn(stringOf(error.message) ?? '') ?? `status ${status}`;
  const param = stringOf(error.param) ?? /^"([^"]+)"/.exec(stringOf(error.message) ?? '')?.[1];
  return `${code}: ${param ?? stringOf(error.message)}`;
}

/** The formats of Messages and Gemini have no field for a code. */
function codeIn(message: string): string | undefined {
  if (message.includes('at least one message must have content')) return 'invalid_request';
  return message.includes("can't be expressed in") ? 'format_not_supported' : undefined;
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
