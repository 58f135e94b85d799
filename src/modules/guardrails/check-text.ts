import type { Finding } from './finding.ts';
import type { Action, GuardrailsOptions } from './options.ts';
import { type Direction, Policy } from './policy.ts';
import { placeholderFor } from './redaction/placeholders.ts';

/** What a configuration would do with a text. */
export interface CheckedText {
  readonly findings: readonly CheckedFinding[];
  /** The text as it would be sent or delivered. */
  readonly redacted: string;
  /** The kind of the finding that stops the call; undefined if it goes on. */
  readonly blockedBy: string | undefined;
}

interface CheckedFinding extends Finding {
  readonly action: Action;
}

/** Scans one text as `guardrails` does in calls, with `found` by the models if they were asked. */
export function checkText(
  text: string,
  options: GuardrailsOptions,
  direction: Direction,
  found: readonly Finding[] = [],
): CheckedText {
  const policy = new Policy(options, direction);
  const findings = policy
    .findBeside(text, found)
    .map((finding) => ({ ...finding, action: policy.actionFor(finding.kind) }))
    .filter(({ action }) => action !== 'off');
  return {
    findings,
    redacted: redact(text, findings, policy),
    blockedBy: policy.blocking(findings)?.kind,
  };
}

function redact(text: string, findings: readonly CheckedFinding[], policy: Policy): string {
  const numbers = new Map<string, number>();
  const placeholders = new Map<string, string>();
  let redacted = '';
  let at = 0;
  for (const { start, end, kind, action } of findings) {
    if (action !== 'redact') continue;
    const value = text.slice(start, end);
    const number = numbers.get(kind) ?? 0;
    const placeholder = placeholders.get(value) ?? placeholderFor(kind, number + 1);
    if (!placeholders.has(value)) numbers.set(kind, number + 1);
    placeholders.set(value, placeholder);
    redacted += text.slice(at, start) + (policy.replacementFor(kind) ?? placeholder);
    at = end;
  }
  return redacted + text.slice(at);
}
