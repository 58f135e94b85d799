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
  for (const [at, piece] of pieces.entries()) {
    found.push(...(piece.match(picture) ?? []));
    const bare = piece.replaceAll(picture, '');
    if (!/[\p{L}\d]/u.test(bare)) {
      if (!isOrdinary(bare, pieces[at - 1], pieces[at + 1])) found.push(bare);
      continue;
    }
    const inner = bare.replace(/^["'([{]+/, '').replace(/["')\]},.;:?!]+$/, '');
    if (/^-{1,2}[A-Za-z]/.test(inner) || /\\[A-Za-z]/.test(inner)) found.push(inner);
    else if (operator.test(inner) && !/^[cg]\+\+/i.test(inner)) found.push(inner.toLowerCase());
  }
  return found.join(' ');
}

function isOrdinary(mark: string, before = '', after = ''): boolean {
  if (mark === '' || ordinary.has(mark) || /^[?!.,]+$/.test(mark)) return mark !== '?.';
  const isAmount = (piece: string) => /^[([-]?(?:\d|\p{L}\b)/u.test(piece);
  if (arithmetic.has(mark)) return isAmount(before) && isAmount(after);
  return /^[%$€£¥°]$/.test(mark) && (/\d$/.test(before) || /^\d/.test(after));
}
