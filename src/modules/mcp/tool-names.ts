import { hash } from 'node:crypto';
import { limits } from './limits.ts';

/**
 * The name of a tool in a request. All providers accept letters, digits, `_` and `-`; a name that has to change for that gets a digest
 * of the whole name, so that no two become the same.
 */
export function requestNameOf(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  const begun = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  if (begun === name && name.length <= limits.toolNameCharactersMax) return name;
  const digest = hash('sha256', name).slice(0, limits.nameDigestCharacters);
  return `${begun.slice(0, limits.toolNameCharactersMax - digest.length - 1)}_${digest}`;
}
