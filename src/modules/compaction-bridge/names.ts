import { argumentCharsMax, argumentDepthMax, argumentsMax, nameCharsMax } from './limits.ts';

/** Words with the signs of paths, addresses and identifiers. */
const words = /[\p{L}\p{N}_$@~#./\\:+-]+/gu;

/** The paths, identifiers, numbers and addresses in a text, in order and without repetitions. */
export function namesIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [quoted] of text.matchAll(/`[^`\s]{3,80}`/g)) found.add(quoted.slice(1, -1));
  for (const [word] of text.matchAll(words)) {
    if (word.length > 2 * nameCharsMax) continue;
    const name = trimMarks(word);
    if (isName(name)) found.add(name);
  }
  return [...found];
}

/** Without the marks of a sentence around it. */
function trimMarks(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && ':+-'.includes(word.charAt(start))) start++;
  while (end > start && '.,:;+\\-'.includes(word.charAt(end - 1))) end--;
  return word.slice(start, end);
}

/** Whether a word names something, in any language: it has a sign, a digit or a capital that plain words don't have. */
function isName(word: string): boolean {
  if (word.length < 3 || word.length > nameCharsMax || /\s/.test(word) || !/[\p{L}\p{N}]/u.test(word))
    return false;
  if (/^\d+$/.test(word)) return word.length >= 4;
  if (word.includes('://')) return word.length > 8;
  if (/[/\\]/.test(word)) return isPath(word);
  return (
    isFileName(word) ||
    /^(?:v\d+|\d+\.\d+)\.\d/.test(word) ||
    /^#[0-9A-Za-z]{3,8}$/.test(word) ||
    /[\p{L}\p{N}]_[\p{L}\p{N}]|::|\p{Ll}\p{Lu}|^@[\w-]{2}|^[A-Z][A-Z0-9]{3,}$/u.test(word) ||
    (word.length > 3 &&
      /\d/.test(word) &&
      /\p{L}/u.test(word) &&
      !/^\d+(?:st|nd|rd|th|s|x|k|m|ms|px|h|min)$/i.test(word))
  );
}

/** Whether a word ends with a dot and the few letters of a file type. */
function isFileName(word: string): boolean {
  const dot = word.lastIndexOf('.');
  return dot > 1 && /^[A-Za-z][A-Za-z0-9]{0,5}$/.test(word.slice(dot + 1)) && word.charAt(dot - 1) !== '.';
}

function isPath(word: string): boolean {
  const parts = word.split(/[/\\]+/).filter((part) => part !== '');
  if (parts.length === 0 || parts.every((part) => /^\d+$/.test(part))) return false;
  // "and/or" is no path.
  return parts.length > 2 || /^[.~/\\]/.test(word) || /[./\\_\d-]/.test(word.replace(/[/\\]/, ''));
}

/** Names in the arguments of a tool. */
export interface ArgumentNames {
  /** Arguments that are a name as a whole: mostly the files that the tool works on. */
  readonly whole: readonly string[];
  /** Names in other texts: in commands, and in the first line of longer texts, whose rest is the content of files. */
  readonly mentioned: readonly string[];
}

export function namesInArguments(input: unknown): ArgumentNames {
  const [whole, mentioned] = [new Set<string>(), new Set<string>()];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      const [line = ''] = value.slice(0, argumentCharsMax).trim().split('\n', 1);
      if (line === value && isName(line)) whole.add(line);
      else for (const name of namesIn(line)) mentioned.add(name);
    } else if (typeof value === 'object' && value !== null && depth < argumentDepthMax)
      for (const inner of Object.values(value).slice(0, argumentsMax)) visit(inner, depth + 1);
  };
  visit(input, 0);
  return { whole: [...whole], mentioned: [...mentioned] };
}
