import { GatewayError, type Kit } from '../../module-api.ts';
import type { Finding } from './finding.ts';
import type { GuardrailsOptions } from './options.ts';
import type { Policy } from './policy.ts';
import type { ScannedRequest, ScannedText } from './scanned-request.ts';

/** An injection concerns the text as a whole. */
export function allFindings({ text, findings, isInjection }: ScannedText): readonly Finding[] {
  return isInjection === true ? [{ start: 0, end: text.length, kind: 'INJECTION' }, ...findings] : findings;
}

/** Counts findings by kind in the trace, the usage and the metrics. Values are in none of them. */
export function reportFindings(
  findings: readonly Finding[],
  prefix: '' | 'output.',
  kit: Kit<GuardrailsOptions>,
): void {
  for (const [kind, { length }] of Map.groupBy(findings, (finding) => finding.kind)) {
    kit.addNote({ [prefix + kind]: length });
    kit.tally(prefix + kind, length);
  }
}

/** Rejects a request with something that must not leave. */
export function blockRequest(
  { texts, unscanned }: Pick<ScannedRequest, 'texts' | 'unscanned'>,
  policy: Policy,
  options: GuardrailsOptions,
): void {
  if (policy.mayBlock)
    for (const text of texts) {
      const finding = policy.blocking(allFindings(text));
      if (finding !== undefined) throw blockedError(finding.kind, placeOf(text));
    }
  const [part] = unscanned;
  if (options.unscanned === 'block' && part !== undefined) throw unscannedError(part.kind);
}

function blockedError(kind: string, place: string): GatewayError {
  return new GatewayError(
    'blocked_by_module',
    `guardrails: the request has ${kind} in ${place}, which is not allowed`,
    {
      detail: kind,
      shouldRetry: false,
    },
  );
}

function unscannedError(kind: string): GatewayError {
  return new GatewayError(
    'blocked_by_module',
    `guardrails: the request has content that can't be scanned (${kind}), which is not allowed`,
    { detail: 'unscanned', shouldRetry: false },
  );
}

function placeOf({ field, messageIndex, inputIndex }: ScannedText): string {
  if (inputIndex !== undefined) return `input ${inputIndex}`;
  // Only messages of chats have a number.
  if (field === 'message' && messageIndex === undefined) return 'a text';
  const what = placeNames[field];
  return messageIndex === undefined ? what : `${what} (message ${messageIndex})`;
}

const placeNames: Readonly<Record<ScannedText['field'], string>> = {
  system: 'the instructions',
  message: 'a message',
  thinking: 'a thought',
  'tool-arguments': 'the arguments of a tool',
  'tool-result': 'a tool result',
  'tool-description': 'the description of a tool',
  document: 'a document',
  other: 'another field',
};
