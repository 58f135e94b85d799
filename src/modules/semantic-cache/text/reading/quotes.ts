/** The code in a prompt, in fences without their first line, and in single backticks. */
export function codeIn(text: string): string[] {
  const fenced = [...text.matchAll(/```(?:[^\n`]*\n)?([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  return [...fenced, ...inline].map((piece) => piece.trim());
}

/**
 * Texts in double quotes, and in single quotes that open after a space and close before a space or closing mark. A single quote
 * before a letter is an apostrophe. One pass: a regular expression would try every apostrophe as the end of every quote.
 */
export function quotedIn(text: string): string[] {
  const found: string[] = [];
  let closing = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const start = endOfRun(text, at);
      const end = text.indexOf('"', start);
      if (end >= 0) found.push(plainQuote(text.slice(start, end)));
      at = (end < 0 ? start : endOfRun(text, end)) - 1;
    } else if (text[at] === "'" && /^[\s(:]?$/.test(text[at - 1] ?? '') && text[at + 1] !== "'") {
      while (closing >= 0 && (closing <= at || /\w/.test(text[closing + 1] ?? '')))
        closing = text.indexOf("'", Math.max(closing, at) + 1);
      if (closing < 0) closing = text.length;
      if (text[closing] !== "'" || !/^[\s).,;:!?]?$/.test(text[closing + 1] ?? '')) continue;
      found.push(plainQuote(text.slice(at + 1, closing)));
      at = closing;
    }
  }
  return found;
}

/** Where a run of double quotes ends. */
function endOfRun(text: string, from: number): number {
  let end = from;
  while (text[end] === '"') end++;
  return end;
}

function plainQuote(text: string): string {
  return text
    .trim()
    .replace(/(?<![.,;:!?])[.,;:!?]+$/, '')
    .toLowerCase();
}
