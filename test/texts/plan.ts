import { wireFormats } from '../../src/wire/index.ts';
import { fields } from './fields.ts';
import { models, modules, type Way } from './subject.ts';
import { type Unit, units } from './units.ts';

/** A text of one kind on one way. */
export interface Trial {
  readonly way: Way;
  readonly unit: Unit;
}

const formats = wireFormats.map(({ name }) => name);

/** Every kind of text in every field, through every module, in every format, to every kind of provider. */
export function* everyTrial(): Generator<Trial> {
  for (const unit of units)
    for (const field of fields)
      for (const module of Object.keys(modules))
        for (const format of formats)
          for (const provider of providersFor(field.answer !== undefined))
            yield { way: { field, module, format, provider }, unit };
}

/** Every field through every second module; units, formats and providers take turns, so that all of them come up. */
export function someTrials(): readonly Trial[] {
  const ways = fields.flatMap((field, at) =>
    Object.keys(modules)
      .filter((_, next) => (at + next) % 2 === 0)
      .map((module) => ({ field, module, at })),
  );
  return ways.map(({ field, module, at }, nth) => {
    const format = pick(formats, nth);
    const provider = pick(providersFor(field.answer !== undefined), at + nth);
    // 37 has no divisor in common with the number of units: neighbours in the list come in calls far apart.
    return { way: { field, module, format, provider }, unit: pick(units, nth * 37) };
  });
}

/** Texts that once held the gateway for seconds, or for ever. */
export const formerFaults: readonly Trial[] = [
  former('blank lines', 'newest tool result', 'ipc', 'anthropic'),
  former('dots', 'first user text', 'ipc', 'anthropic'),
  former('runs of 399 letters', 'newest tool result', 'ipc', 'anthropic'),
  former('digits', 'model', 'none', 'anthropic'),
  former('digits', 'model in a path', 'none', 'anthropic'),
  former('words behind apostrophes', 'short user text', 'semantic-cache', 'demo'),
  former('words with backticks', 'short user text', 'semantic-cache', 'demo'),
  former('folders of a publisher', 'path', 'none', 'anthropic'),
  former('tags with a slash behind them', 'only user text', 'none', 'demo'),
  former('lines of a dash', 'eight tool results', 'patterns', 'anthropic'),
  former('quotation marks', 'tool argument', 'rehydrator', 'chat'),
  former('headings', 'system', 'prompt-optimizer', 'anthropic'),
];

function former(unit: string, field: string, module: string, provider: string): Trial {
  const format = 'anthropic-messages';
  return { way: { field: named(fields, field), module, format, provider }, unit: named(units, unit) };
}

function named<Item extends { readonly name: string }>(items: readonly Item[], name: string): Item {
  const found = items.find((item) => item.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

function pick<Item>(items: readonly Item[], at: number): Item {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** The model that is built in says what it likes. */
function providersFor(answers: boolean): readonly string[] {
  return Object.keys(models).filter((provider) => !(answers && provider === 'demo'));
}

export function described({ way: { field, module, format, provider }, unit }: Trial): string {
  return `${unit.name} as ${field.name}, through ${module}, ${format} to ${provider}`;
}
