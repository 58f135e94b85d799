import { limits } from './limits.ts';

const emailPart = String.raw`[^\s\p{C}@"(),:;<>[\\\].]+`;
const emailPattern = new RegExp(
  String.raw`^${emailPart}(\.${emailPart})*@${emailPart}(\.${emailPart})+$`,
  'u',
);

/** Whether the address is syntactically valid; only sending a mail shows whether it exists. */
export function isEmail(text: string): boolean {
  return text.length <= limits.emailCharactersMax && emailPattern.test(text);
}
