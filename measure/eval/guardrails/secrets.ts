import { secretKinds } from '../../../src/modules/guardrails/finding.ts';
import { findPatterns } from '../../../src/modules/guardrails/recognizers/find-patterns.ts';
import { excerpt, type LabelledText, overlaps, readRows, SpanCounts, spanHeading } from './spans.ts';

/**
 * Rows of noren with a secret that it doesn't label, because its own rules don't know the format: webhooks, a user token of Slack, a JWT and a
 * Stripe key in URLs, a signature of Azure, and tokens that only the name of their header or variable gives away.
 */
const unlabelledSecrets = new Set(
  'api-006 api-012 auth-005 auth-007 auth-011 auth-014 jwt-004 misc-003 misc-015 url-001 url-003 url-007 url-008 url-012'.split(
    ' ',
  ),
);

/** Secrets of any kind: a finding is right if it overlaps a label, whatever its type. */
export function reportSecrets(data: string, showsMisses: boolean): void {
  const rows = readRows<LabelledText>(data, 'guardrails/pii/noren.jsonl');
  const kinds = new Set<string>(secretKinds);
  const counts = new SpanCounts();
  let unlabelled = 0;
  for (const { id, text, spans } of rows) {
    const findings = findPatterns(text, kinds);
    const labels = spans.filter(({ type }) => type.startsWith('sec_'));
    for (const finding of findings)
      if (labels.some((label) => overlaps(label, finding))) counts.right++;
      else if (unlabelledSecrets.has(id)) unlabelled++;
      else {
        counts.wrong++;
        if (showsMisses) console.log(`wrong  ${id.padEnd(12)}${excerpt(text, finding)}`);
      }
    for (const label of labels) {
      counts.labels++;
      if (findings.some((finding) => overlaps(label, finding))) counts.hits++;
      else if (showsMisses) console.log(`missed ${id.padEnd(12)}${excerpt(text, label)}`);
    }
  }
  console.log(`\nSecrets, noren (${rows.length} texts)\n${spanHeading}\n${counts.line('all')}`);
  console.log(`${unlabelled} more findings are secrets that noren doesn't label`);
}
