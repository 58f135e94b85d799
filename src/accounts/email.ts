import { limits } from '../kernel/limits.ts';

const word = String.raw`[^\s\p{C}@"(),:;<>[\\\].]+`;
const shape = new RegExp(String.raw`^${word}(\.${word})*@${word}(\.${word})+$`, 'u');

/** Whether a message could be sent there at all; whether somebody reads it is known only by sending one. */
export function isEmail(text: string): boolean {
  return text.length <= limits.emailCharactersMax && shape.test(text);
}
