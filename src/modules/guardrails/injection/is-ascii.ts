/** Most texts are, and need none of the work for other characters. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}
