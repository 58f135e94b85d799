import type { EntityLabel, TaggedWord } from '../../../module-api.ts';

/** Neighbouring words of one kind. */
export interface Entity {
  readonly start: number;
  readonly end: number;
  readonly label: EntityLabel;
}

/**
 * Joins the tagger's words into entities. A word counts if the probability that it is part of none is `outsideMax` at most. An
 * entity ends at a word that begins the next one, except in addresses, whose parts the tagger often begins anew.
 */
export function joinWords(text: string, words: readonly TaggedWord[], outsideMax: number): readonly Entity[] {
  const entities: Entity[] = [];
  for (const { start, end, label, begins, outside } of words) {
    if (outside > outsideMax) continue;
    const before = entities.at(-1);
    const isNext = before !== undefined && text.slice(before.end, start).trim() === '';
    if (isNext && before.label === label && (!begins || label === 'ADDRESS'))
      entities[entities.length - 1] = { ...before, end };
    else entities.push({ start, end, label });
  }
  return entities;
}
