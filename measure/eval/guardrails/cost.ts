import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { personalKinds, secretKinds } from '../../../src/modules/guardrails/finding.ts';
import { findPatterns } from '../../../src/modules/guardrails/recognizers/find-patterns.ts';

const kinds = new Set<string>([...personalKinds, ...secretKinds]);
const rounds = 20;

/** CPU time of all patterns together. */
export function reportCost(data: string): void {
  console.log('\nCPU time of all patterns\ntexts                     10 KB      100 KB');
  report(
    'source code',
    globSync('src/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n'),
  );
  report(
    'documentation',
    globSync('docs/**/*.md')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n'),
  );
  report('coding session', readFileSync(join(data, 'memory/pi/large-session.jsonl'), 'utf8'));
  report('support calls', readFileSync(join(data, 'memory/tau-bench/airline.jsonl'), 'utf8'));
}

function report(name: string, text: string): void {
  const figures = [10_000, 100_000].map((size) => {
    const pieces = Array.from({ length: 500_000 / size }, (_, at) => text.slice(at * size, (at + 1) * size));
    const scan = () => {
      for (const piece of pieces) findPatterns(piece, kinds);
    };
    for (let round = 0; round < rounds; round++) scan();
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round++) scan();
    const { user, system } = process.cpuUsage(before);
    return `${((user + system) / 1000 / rounds / pieces.length).toFixed(2)} ms`.padStart(12);
  });
  console.log(name.padEnd(19) + figures.join(''));
}
