/** Punctuation without a meaning of its own. */
const ordinary = new Set(['-', '--', '?', '!', '.', ',', '...', '&', '/', ':', ';', '"', "'", '(', ')', '•']);
const arithmetic = new Set(['+', '-', '*', '/', '^', '=', '<', '>', '<=', '>=', '!=', '==', '**', '×', '÷']);
const picture = /\p{Extended_Pictographic}/gu;
const operator = /\+\+|--|\*\*|&&|\|\||<<|>>|::|=>|->|!=|==|\?\?|\?\./;

/**
 * Meaningful marks in order: separate operators and smileys, case-sensitive command flags, escapes, and emoji. Signs between
 * numbers are handled with the numbers.
 */
export function marksIn(text: string): string {
  const pieces = text.split(' ');
  const found: string[] = [];
  let isQuoted = false;
  for (const [at, piece] of pieces.entries()) {
    const isWithin = isQuoted;
    if (togglesQuote(piece)) isQuoted = !isQuoted;
    found.push(...(piece.match(picture) ?? []));
    const bare = piece.replaceAll(picture, '');
    if (!/[\p{L}\d]/u.test(bare)) {
      if (!isOrdinary(bare, pieces[at - 1], pieces[at + 1])) found.push(bare);
      continue;
    }
    found.push(...attachedTo(bare, isWithin));
    const inner = bare.replace(/^["'([{]+/, '').replace(/(?<!["')\]},.;:?!])["')\]},.;:?!]+$/, '');
    if (/^-{1,2}[A-Za-z]/.test(inner) || /\\[A-Za-z]/.test(inner)) found.push(inner);
    else if (operator.test(inner) && !/^[cg]\+\+/i.test(inner)) found.push(inner.toLowerCase());
  }
  return found.join(' ');
}

/** Signs attached to a word or number: logic, music, comparisons, version ranges, derivatives, minutes, factorials. */
const attached: readonly RegExp[] = [
  /(?![\p{Extended_Pictographic}\p{ASCII}°×÷])[\p{Sm}\p{So}\p{Sk}]/gu,
  /^["'([{]*(?:[!&@|=<>+%^~]+|#(?=\p{L})|\*(?!.*\*))(?=[\p{L}\d_])/gu,
  /(?<=[^\p{L}\d\s])(?:[\^~]|[<>]=?|==)(?=\d)/gu,
  /\d!/g,
];
const prime = /(?<![\p{L}\d"'])(?:\p{L}|\d+)['′]+(?![\p{L}\d])/gu;

function attachedTo(piece: string, isQuoted: boolean): string[] {
  const signs = isQuoted ? attached : [...attached, prime];
  return signs.flatMap((sign) => piece.match(sign) ?? []);
}

/** Whether a quote either begins or ends with this piece. */
function togglesQuote(piece: string): boolean {
  return /^[(["]*'|'[^\w']*$/.test(piece) && !/^'.*'[^\w']*$/.test(piece);
}

function isOrdinary(mark: string, before = '', after = ''): boolean {
  if (mark === '' || ordinary.has(mark) || /^[?!.,]+$/.test(mark)) return mark !== '?.';
  const isAmount = (piece: string) => /^[([-]?(?:\d|\p{L}\b)/u.test(piece);
  if (arithmetic.has(mark)) return isAmount(before) && isAmount(after);
  return /^[%\p{Sc}°]$/u.test(mark) && (/\d$/.test(before) || /^\d/.test(after));
}
