import { createHmac, randomBytes } from 'node:crypto';
import type { PersonalValue, PersonalValues } from '../kernel/ports/audit.ts';
import { limits } from './limits.ts';

/** With a salt of its own, without which nobody can find out the value by trying. */
export function saltedValue(text: string): PersonalValue {
  const value = text.toWellFormed().slice(0, limits.personalCharactersMax).toWellFormed();
  return { value, salt: randomBytes(16).toString('hex') };
}

/** The HMAC-SHA256 of a value with its salt as the key, in hexadecimal: the only trace of it in a chain. */
export function commitmentTo({ value, salt }: PersonalValue): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(value).digest('hex');
}

export function commitmentsTo(values: PersonalValues): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, commitmentTo(value)]));
}
