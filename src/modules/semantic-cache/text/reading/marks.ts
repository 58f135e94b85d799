/** Marks that end or join parts of a sentence, and say nothing by themselves. */
const ordinary = new Set(['-', '--', '?', '!', '.', ',', '...', '&', '/', ':', ';', '"', "'", '(', ')', '•']);
const arithmetic = new Set(['+', '-', '*', '/', '^', '=', '<', '>', '<=', '>=', '!=', '==', '**', '×', '÷']);
const picture = /\p{Extended_Pictographic}/gu;
const operator = /\+\+|--|\*\*|&&|\|\||<<|>>|::|=>|->|!=|==|\?\?|\?\./;

/**
 * What is written with marks and means something, in its order: operators and smileys that stand alone, flags of commands, where
 * capitals count, escapes, and pictures. What stands between numbers is read with them.
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

/** Signs that stand at a word or a number: of logic and music, of comparison and version ranges, of derivatives, minutes and factorials. */
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

/** Whether a quote begins or ends with this piece, and not both. */
function togglesQuote(piece: string): boolean {
  return /^[(["]*'|'[^\w']*$/.test(piece) && !/^'.*'[^\w']*$/.test(piece);
}

function isOrdinary(mark: string, before = '', after = ''): boolean {
  if (mark === '' || ordinary.has(mark) || /^[?!.,]+$/.test(mark)) return mark !== '?.';
  const isAmount = (piece: string) => /^[([-]?(?:\d|\p{L}\b)/u.test(piece);
  if (arithmetic.has(mark)) return isAmount(before) && isAmount(after);
  return /^[%\p{Sc}°]$/u.test(mark) && (/\d$/.test(before) || /^\d/.test(after));
}
