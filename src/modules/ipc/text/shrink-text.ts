import { bigResultChars, shrunkShareMin } from '../limits.ts';

const base64CharsMin = 400;
/** At least 400 characters, and from the start of a run only: a run of 399 is read once, not from each of its characters. `{400,}` overflows the stack in long runs. */
const base64Run = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{400}[A-Za-z0-9+/]*={0,2}/g;
const minifiedChars = 4000;
const repeatsMin = 3;
/** Fewer blank lines take less room than a note about them. */
const blankRepeatsMin = 100;
const listedPathsMin = 20;

/**
 * Shrinks a big tool result: drops encoded data and minified files, and folds repeated lines and common path prefixes.
 * Undefined if that saves little.
 */
export function shrinkText(text: string): string | undefined {
  if (text.length < bigResultChars) return undefined;
  const shrunk = foldPaths(foldRepeats(removeData(text))).join('\n');
  return shrunk.length <= text.length * (1 - shrunkShareMin) ? shrunk : undefined;
}

function removeData(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => (line.length < base64CharsMin ? line : removeBase64(line)))
    .map((line) => (line.length > minifiedChars && isMinified(line) ? cutMiddle(line) : line));
}

function removeBase64(line: string): string {
  return line.replace(base64Run, (data) =>
    isData(data) ? `[${data.length} characters of base64 left out by the gateway]` : data,
  );
}

/** Encoded data mixes more kinds of characters than words and paths do. */
function isData(run: string): boolean {
  const sample = run.slice(0, base64CharsMin);
  return /[A-Z]/.test(sample) && /[a-z]/.test(sample) && /\d/.test(sample) && !/(.)\1{20}/.test(sample);
}

function isMinified(line: string): boolean {
  const sample = line.slice(0, minifiedChars);
  return (sample.match(/\s/g)?.length ?? 0) < minifiedChars * 0.06;
}

function cutMiddle(line: string): string {
  const left = line.length - 1500;
  return `${line.slice(0, 1200)} [… ${left} characters of this line left out by the gateway …] ${line.slice(-300)}`;
}

/** The longest group of lines whose repetition is detected. */
const repeatedLinesMax = 4;

function foldRepeats(lines: readonly string[]): readonly string[] {
  const folded: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const { size, times } = findRepeat(lines, at);
    const end = at + size * times;
    const isFolded = times >= (isBlank(lines, at, at + size) ? blankRepeatsMin : repeatsMin);
    // Copies remaining blank lines as one run: counting again from each line would take quadratic time.
    for (const stop = isFolded ? at + size : end; at < stop; at++) folded.push(lines[at] ?? '');
    if (isFolded) {
      const what = size === 1 ? 'this line' : `these ${size} lines`;
      folded.push(`[${what} ${times - 1} more times]`);
    }
    at = end;
  }
  return folded;
}

/** The size of the group of lines that repeats from here, and its number of occurrences. */
function findRepeat(lines: readonly string[], at: number): { readonly size: number; readonly times: number } {
  for (let size = 1; size <= repeatedLinesMax; size++) {
    if (lines[at] !== lines[at + size]) continue;
    let same = 0;
    while (at + size + same < lines.length && lines[at + same] === lines[at + size + same]) same++;
    const times = Math.floor(same / size) + 1;
    if (times >= repeatsMin) return { size, times };
  }
  return { size: 1, times: 1 };
}

function isBlank(lines: readonly string[], start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (lines[at]?.trim() !== '') return false;
  return true;
}

const pathLine = /^\.{0,2}\/?[\w.@+-]+(\/[\w.@+-]+)+\/?$/;

function isPath(line: string): boolean {
  return line.includes('/') && pathLine.test(line);
}

/** Lists the files of a folder on one line after its name. */
function foldPaths(lines: readonly string[]): readonly string[] {
  const folded: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && isPath(lines[end] ?? '')) end++;
    if (end - at < listedPathsMin) {
      const stop = Math.max(end, at + 1);
      for (; at < stop; at++) folded.push(lines[at] ?? '');
      continue;
    }
    for (const line of groupByFolder(lines.slice(at, end))) folded.push(line);
    at = end;
  }
  return folded;
}

function groupByFolder(paths: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let folder = '';
  let files: string[] = [];
  const close = () => {
    if (files.length === 1) lines.push(`${folder}${files[0]}`);
    else if (files.length > 1) lines.push(`${folder}: ${files.join(' ')}`);
    files = [];
  };
  for (const path of paths) {
    const cut = path.lastIndexOf('/', path.length - 2) + 1;
    if (path.slice(0, cut) !== folder) close();
    folder = path.slice(0, cut);
    files.push(path.slice(cut));
  }
  close();
  return lines;
}
