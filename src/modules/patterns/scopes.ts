import type { Pattern } from './pattern.ts';

/** The scope of lessons from tools of calls without an end user; applies to such calls only. */
export const unnamedScope = 'unnamed';

/** The scope if the option `scope=account` treats all end users as one. */
export const accountScope = 'account';

/** Whether a scope belongs to one end user. */
export function isEndUserScope(scope: string | null): scope is string {
  return scope !== null && scope !== unnamedScope;
}

/** Whether it is made from what a person wrote. Lessons about tools are made from names that the tools declare. */
export function isFromUserText({ fingerprint }: Pick<Pattern, 'fingerprint'>): boolean {
  return !fingerprint.startsWith('fix ') && !fingerprint.startsWith('stuck ');
}
