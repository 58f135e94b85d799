import type { Pattern } from './ports/patterns.ts';

/** The scope of what is learned from the tools of calls that name no end user: it is brought into such calls alone. */
export const unnamedScope = 'unnamed';

/** Where the option `scope=account` says that all end users are one. */
export const accountScope = 'account';

/** Whether a scope is that of one end user. */
export function isEndUserScope(scope: string | null): scope is string {
  return scope !== null && scope !== unnamedScope;
}

/** Whether it is made of what somebody said. Lessons about tools are made of names that the tool itself declares. */
export function isFromUserText({ fingerprint }: Pick<Pattern, 'fingerprint'>): boolean {
  return !fingerprint.startsWith('fix ') && !fingerprint.startsWith('stuck ');
}
