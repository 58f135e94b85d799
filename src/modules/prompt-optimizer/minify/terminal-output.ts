const controlStart = '\u001b[';
/** Colours and other renditions, and erasing to the end of a line. */
const rendition = /^[0-9;:]*[mK]/;

/**
 * Output of a terminal as a person sees it: without colours, and of a line that was overwritten only the last state. Blank
 * ends of lines and repeated blank lines go, too, unless they may matter. A text without marks of a terminal stays as it is.
 */
export function cleanTerminalOutput(text: string): string {
  const plain = text.includes(controlStart) ? withoutRenditions(text) : text;
  const isOverwritten = hasLoneReturn(plain);
  if (plain === text && !isOverwritten) return text;
  const shown = isOverwritten ? plain.split('\n').map(lastState).join('\n') : plain;
  return mayNeedBlanks(shown) ? shown : withoutNeedlessBlanks(shown);
}

function withoutRenditions(text: string): string {
  const [start = '', ...parts] = text.split(controlStart);
  const plain = parts.map((part) =>
    rendition.test(part) ? part.replace(rendition, '') : controlStart + part,
  );
  return start + plain.join('');
}

/** A carriage return that doesn't end a line. */
function hasLoneReturn(text: string): boolean {
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1))
    if (at + 1 < text.length && text[at + 1] !== '\n' && text[at + 1] !== '\r') return true;
  return false;
}

/** What a line shows in the end, if its states replace each other completely. */
function lastState(line: string): string {
  const end = line.endsWith('\r') ? '\r' : '';
  const states = line.split('\r').filter((state) => state !== '');
  const last = states.at(-1) ?? '';
  const isReplaced = states.every((state) => state.trimEnd().length <= last.length);
  return isReplaced ? last + end : line;
}

/** Diffs, tables and fenced code: their blanks are part of the content. */
function mayNeedBlanks(text: string): boolean {
  return ['\n@@ ', 'diff --git', '\n+++ ', '```', '|--', '| --', '|:-'].some((mark) => text.includes(mark));
}

function withoutNeedlessBlanks(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines
    .filter((line, at) => line !== '' || lines[at - 1] !== '' || at === lines.length - 1)
    .join('\n');
}
