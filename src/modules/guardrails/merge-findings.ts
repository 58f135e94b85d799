import type { Finding } from './finding.ts';

/**
 * Joins lists of findings into one without overlaps, the most trusted list first. Each list is in order and has no overlaps. Where
 * findings overlap, the more trusted one keeps its range and the other the rest of its own, so that everything that was found stays
 * covered.
 */
export function mergeFindings(...lists: readonly (readonly Finding[])[]): readonly Finding[] {
  return lists.filter(({ length }) => length > 0).reduce(addFindings, none);
}

const none: readonly Finding[] = [];

/** Takes time in proportion to the number of findings. */
function addFindings(kept: readonly Finding[], added: readonly Finding[]): readonly Finding[] {
  if (kept.length === 0) return added;
  const merged: Finding[] = [];
  let next = 0;
  for (const finding of added) {
    let { start } = finding;
    for (let before = kept[next]; before !== undefined && before.start < finding.end; before = kept[next]) {
      if (before.start > start) merged.push({ ...finding, start, end: before.start });
      start = Math.max(start, before.end);
      // A finding that reaches beyond this one may cover the next one, too.
      if (before.end > finding.end) break;
      merged.push(before);
      next++;
    }
    if (start < finding.end) merged.push({ ...finding, start });
  }
  merged.push(...kept.slice(next));
  return merged;
}
