import { LocalModels } from '../../../src/embeddings/local-models.ts';
import { LocalTextModels } from '../../../src/embeddings/local-text-models.ts';
import { findModelFiles } from '../../../src/embeddings/model-files.ts';
import { findEntities } from '../../../src/modules/guardrails/entities/find-entities.ts';
import { personalKinds } from '../../../src/modules/guardrails/finding.ts';
import { findPatterns } from '../../../src/modules/guardrails/recognizers/find-patterns.ts';
import { excerpt, type LabelledText, overlaps, readRows, SpanCounts, spanHeading } from './spans.ts';

/** Our kinds for each label of the data. Titles are no personal data, and no kind of ours. */
const kindsByLabel: Readonly<Record<string, readonly string[]>> = {
  PERSON: ['PERSON'],
  STREET_ADDRESS: ['ADDRESS'],
  ZIP_CODE: ['ADDRESS'],
  GPE: ['LOCATION'],
  ORGANIZATION: ['ORGANIZATION'],
  DATE_TIME: ['DATE', 'DATE_OF_BIRTH'],
  AGE: ['AGE'],
  NRP: ['NATIONALITY'],
  PHONE_NUMBER: ['PHONE'],
  CREDIT_CARD: ['CREDIT_CARD'],
  EMAIL_ADDRESS: ['EMAIL'],
  US_SSN: ['SSN', 'NATIONAL_ID'],
  US_DRIVER_LICENSE: ['DRIVER_LICENSE', 'NATIONAL_ID'],
  IBAN_CODE: ['IBAN'],
  IP_ADDRESS: ['IP_ADDRESS'],
  DOMAIN_NAME: ['URL'],
};

/** Patterns and the tagger together; patterns win where both find something. */
export async function reportEntities(data: string, showsMisses: boolean): Promise<void> {
  const rows = readRows<LabelledText>(data, 'guardrails/pii/presidio-synth-v2.jsonl');
  const models = new LocalModels({ findFiles: findModelFiles });
  const textModels = new LocalTextModels(models);
  const kinds = new Set<string>(personalKinds);
  const counts = new Map<string, SpanCounts>();
  const all = new SpanCounts();
  const count = (kind: string, field: 'labels' | 'hits' | 'right' | 'wrong') => {
    const counted = counts.get(kind) ?? new SpanCounts();
    counts.set(kind, counted);
    counted[field]++;
    all[field]++;
  };
  try {
    for (const { text, spans } of rows) {
      const patterns = findPatterns(text, kinds);
      const {
        findings: [entities = []],
      } = await findEntities([text], { kinds, deadlineMs: 60_000 }, textModels);
      const findings = [
        ...patterns,
        ...entities.filter((entity) => !patterns.some((pattern) => overlaps(pattern, entity))),
      ];
      const labels = spans.flatMap((span) => {
        const accepted = kindsByLabel[span.type];
        return accepted === undefined ? [] : [{ ...span, accepted }];
      });
      for (const finding of findings) {
        const isRight = labels.some(
          (label) => label.accepted.includes(finding.kind) && overlaps(label, finding),
        );
        count(finding.kind, isRight ? 'right' : 'wrong');
        if (!isRight && showsMisses)
          console.log(`wrong  ${finding.kind.padEnd(16)}${excerpt(text, finding)}`);
      }
      for (const label of labels) {
        const isHit = findings.some(
          (finding) => label.accepted.includes(finding.kind) && overlaps(label, finding),
        );
        const [kind = ''] = label.accepted;
        count(kind, 'labels');
        if (isHit) count(kind, 'hits');
        else if (showsMisses) console.log(`missed ${kind.padEnd(16)}${excerpt(text, label)}`);
      }
    }
  } finally {
    await models.close();
  }
  console.log(
    `\nPersonal data by patterns and the tagger, presidio-synth-v2 (${rows.length} sentences)\n${spanHeading}`,
  );
  for (const [kind, counted] of [...counts].sort()) console.log(counted.line(kind));
  console.log(all.line('all'));
}
