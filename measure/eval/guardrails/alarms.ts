import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { personalKinds, secretKinds } from '../../../src/modules/guardrails/finding.ts';
import { findPatterns } from '../../../src/modules/guardrails/recognizers/find-patterns.ts';
import { excerpt } from './spans.ts';

/** Everything that patterns find but URLs, which are no mistakes. */
const kinds = new Set<string>([...personalKinds, ...secretKinds].filter((kind) => kind !== 'URL'));

/** What is found in texts with next to no personal data and secrets; most of it is a false alarm. */
export function reportAlarms(data: string, showsMisses: boolean): void {
  console.log(
    '\nFindings in coding sessions, prompts and source code\ntexts                    tokens   findings   per 20,000 tokens   by kind',
  );
  report(
    'coding session',
    textsOf(readFileSync(join(data, 'memory/pi/large-session.jsonl'), 'utf8').split('\n')),
    showsMisses,
  );
  report(
    'system prompts',
    globSync(join(data, 'prompts/agents/*')).map((file) => readFileSync(file, 'utf8')),
    showsMisses,
  );
  report(
    'our source',
    globSync('src/**/*.ts')
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(file, 'utf8')),
    showsMisses,
  );
  report(
    'our tests',
    globSync(['src/**/*.test.ts', 'test/*.ts']).map((file) => readFileSync(file, 'utf8')),
    showsMisses,
  );
  report(
    'our documentation',
    globSync(['*.md', 'docs/**/*.md']).map((file) => readFileSync(file, 'utf8')),
    showsMisses,
  );
}

function textsOf(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line !== '').flatMap((line) => stringsIn(JSON.parse(line)));
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function report(name: string, texts: readonly string[], showsMisses: boolean): void {
  const byKind = new Map<string, number>();
  let bytes = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
    for (const finding of findPatterns(text, kinds)) {
      byKind.set(finding.kind, (byKind.get(finding.kind) ?? 0) + 1);
      if (showsMisses) console.log(`${finding.kind.padEnd(16)}${excerpt(text, finding)}`);
    }
  }
  const tokens = bytes / 4;
  const findings = [...byKind.values()].reduce((sum, count) => sum + count, 0);
  const kindsText = [...byKind].map(([kind, count]) => `${kind} ${count}`).join(', ');
  console.log(
    `${name.padEnd(20)}${String(Math.round(tokens)).padStart(11)}${String(findings).padStart(11)}${((findings * 20_000) / tokens).toFixed(2).padStart(20)}   ${kindsText}`,
  );
}
