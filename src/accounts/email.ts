import { limits } from '../kernel/limits.ts';

const emailPart = String.raw`[^\s\p{C}@"(),:;<>[\\\].]+`;
const emailPattern = new RegExp(
  String.raw`^${emailPart}(\.${emailPart})*@${emailPart}(\.${emailPart})+$`,
  'u',
);

/** Whether a message could be sent there at all; whether somebody reads it is known only by sending one. */
export function isEmail(text: string): boolean {
  return text.length <= limits.emailCharactersMax && emailPattern.test(text);
}
