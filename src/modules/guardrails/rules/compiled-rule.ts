import type { Finding } from '../finding.ts';

/** A custom rule, compiled. */
export interface CompiledRule {
  readonly name: string;
  readonly action: 'monitor' | 'redact' | 'block';
  readonly appliesTo: 'input' | 'output' | 'both';
  /** A fixed text in place of a placeholder. */
  readonly replacement?: string;
  /** The longest match, in UTF-16 units; undefined if there is no longest one. */
  readonly charactersMax: number | undefined;
  /** States of its table, or letters of its words. */
  readonly size: number;
  find(text: string): Iterable<Finding>;
}
