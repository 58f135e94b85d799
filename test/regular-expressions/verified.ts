import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parameters } from './check.ts';
import type { Expression } from './find.ts';

const file = join(import.meta.dirname, 'verified.json');
const { version }: { version: string } = createRequire(import.meta.url)('recheck/package.json');

export interface Verified {
  has(expression: Expression): boolean;
}

/** The expressions that `npm run test:expressions` found to be linear: an analysis of all takes 40 seconds. */
export function readVerified(): Verified {
  const digests: ReadonlySet<string> = new Set(JSON.parse(readFileSync(file, 'utf8')));
  return { has: (expression) => digests.has(digestOf(expression)) };
}

export function writeVerified(expressions: readonly Expression[]): void {
  writeFileSync(file, `${JSON.stringify(expressions.map(digestOf).toSorted(), undefined, 2)}\n`);
}

/** Another version of the tool, or other bounds of the analysis, make another digest. */
function digestOf({ source, flags, isBounded }: Expression): string {
  const analysed = JSON.stringify([version, parameters, source, flags, isBounded]);
  return createHash('sha256').update(analysed).digest('base64url').slice(0, 16);
}
