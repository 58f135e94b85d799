import { personalKinds } from '../../../src/modules/guardrails/finding.ts';
import { findPatterns } from '../../../src/modules/guardrails/recognizers/find-patterns.ts';
import { excerpt, type LabelledText, overlaps, readRows, SpanCounts, spanHeading } from './spans.ts';

/** Our kind for each label of the data that patterns can find. */
const kindsByLabel = new Map([
  ['EMAIL_ADDRESS', 'EMAIL'],
  ['CREDIT_CARD', 'CREDIT_CARD'],
  ['US_SSN', 'SSN'],
  ['IBAN_CODE', 'IBAN'],
  ['IP_ADDRESS', 'IP_ADDRESS'],
  ['PHONE_NUMBER', 'PHONE'],
  ['US_DRIVER_LICENSE', 'DRIVER_LICENSE'],
  ['DOMAIN_NAME', 'URL'],
]);
/** The data labels dates of birth as dates; patterns find no others. */
const dateLabel = 'DATE_TIME';

/** Patterns alone, on generated sentences. */
export function reportPersonalData(data: string, showsMisses: boolean): void {
  const rows = readRows<LabelledText>(data, 'guardrails/pii/presidio-synth-v2.jsonl');
  const counts = new Map<string, SpanCounts>();
  const countsOf = (kind: string) =>
    counts.get(kind) ?? counts.set(kind, new SpanCounts()).get(kind) ?? new SpanCounts();
  const kinds = new Set<string>(personalKinds);
  for (const { text, spans } of rows) {
    const findings = findPatterns(text, kinds);
    const labels = spans.map((span) => ({ ...span, kind: kindsByLabel.get(span.type) }));
    for (const finding of findings) {
      const isRight = labels.some(
        (label) =>
          overlaps(label, finding) &&
          (label.kind === finding.kind || (label.type === dateLabel && finding.kind === 'DATE_OF_BIRTH')),
      );
      const kind = countsOf(finding.kind);
      if (isRight) kind.right++;
      else kind.wrong++;
      if (!isRight && showsMisses) console.log(`wrong  ${finding.kind.padEnd(16)}${excerpt(text, finding)}`);
    }
    for (const label of labels) {
      if (label.kind === undefined) continue;
      const kind = countsOf(label.kind);
      kind.labels++;
      const isHit = findings.some((finding) => label.kind === finding.kind && overlaps(label, finding));
      if (isHit) kind.hits++;
      else if (showsMisses) console.log(`missed ${label.kind.padEnd(16)}${excerpt(text, label)}`);
    }
  }
  console.log(`\nPersonal data by patterns, presidio-synth-v2 (${rows.length} sentences)\n${spanHeading}`);
  for (const [kind, count] of [...counts].sort()) console.log(count.line(kind));
}
